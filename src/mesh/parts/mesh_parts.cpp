#include "mesh/parts/mesh_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "mesh/order/blocks.h"
#include "mesh/order/partition_cells.h"

namespace weft {

namespace {

// Spreads numbers: which of two parts owns a vertex is no matter of where it lies.
std::uint32_t scrambled(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

// What a part takes of the whole, and where it puts it.
class PartMaker {
public:
  PartMaker(const Mesh &whole, const CellGraph &graph, std::int32_t number)
      : whole_(whole), graph_(graph), place_(graph.num_cells, -1) {
    part_.dim = whole.dim;
    part_.geometry_order = whole.geometry_order;
    part_.region_classes = whole.region_classes;
    part_.facet_classes = whole.facet_classes;
    share_.part = number;
    share_.num_whole_cells = graph.num_cells;
    share_.num_whole_nodes = whole.num_nodes();
  }

  // Cells of the whole mesh, by their numbers in the set; the ranges follow one another.
  void add_set(std::int32_t s, const std::vector<std::int32_t> &inner,
               const std::vector<std::int32_t> &border, const std::vector<std::int32_t> &ghosts,
               int leaf_cells) {
    const CellSet &from = whole_.sets[s];
    CellSet to{.type = from.type, .nodes_per_cell = from.nodes_per_cell};
    MeshShare::Cells &share = share_.sets.emplace_back();
    share.num_inner = static_cast<std::int64_t>(inner.size());
    share.num_owned = static_cast<std::int64_t>(inner.size() + border.size());
    for (const auto *range : {&inner, &border, &ghosts}) {
      const auto begin = static_cast<std::int64_t>(to.region.size());
      for (const std::int32_t cell : *range) {
        place_[graph_.first_cell[s] + cell] = static_cast<std::int32_t>(to.region.size());
        const auto nodes = from.nodes.begin() + std::int64_t{cell} * from.nodes_per_cell;
        to.nodes.insert(to.nodes.end(), nodes, nodes + from.nodes_per_cell);
        to.region.push_back(from.region[cell]);
        share.whole.push_back(static_cast<std::int32_t>(graph_.first_cell[s] + cell));
      }
      // No leaf is of two ranges.
      for (std::int64_t leaf = begin; leaf < to.num_cells(); leaf += leaf_cells)
        to.leaf_offset.push_back(leaf);
    }
    to.leaf_offset.push_back(to.num_cells());
    part_.sets.push_back(std::move(to));
  }

  // `master`, `owner`: [node of the whole mesh].
  Mesh finish(std::int32_t num_parts, const std::vector<std::int32_t> &part_of_cell,
              const std::vector<std::int32_t> &master, const std::vector<std::int32_t> &owner) {
    share_.num_parts = num_parts;
    for (MeshShare::Cells &cells : share_.sets)
      for (std::size_t c = cells.num_owned; c < cells.whole.size(); ++c)
        cells.owner.push_back(part_of_cell[cells.whole[c]]);
    take_nodes(master, owner);
    take_facets();
    part_.share = std::move(share_);
    return std::move(part_);
  }

private:
  void take_nodes(const std::vector<std::int32_t> &master, const std::vector<std::int32_t> &owner) {
    std::vector<std::int32_t> local(whole_.num_nodes(), -1);
    for (const CellSet &set : part_.sets)
      for (const std::int32_t node : set.nodes)
        local[node] = 0;
    std::vector<std::int32_t> first_image(whole_.num_nodes(), -1); // [master]: in this part
    for (std::int32_t node = 0; node < whole_.num_nodes(); ++node) {
      if (local[node] < 0)
        continue;
      local[node] = static_cast<std::int32_t>(share_.whole_nodes.size());
      share_.whole_nodes.push_back(node);
      share_.vertex_owner.push_back(owner[master[node]]);
      const auto x = whole_.coordinates.begin() + std::int64_t{node} * whole_.dim;
      part_.coordinates.insert(part_.coordinates.end(), x, x + whole_.dim);
      // The master may be of cells that are not here: the lowest image stands for it.
      if (std::int32_t &first = first_image[master[node]]; first < 0)
        first = local[node];
    }
    for (CellSet &set : part_.sets)
      for (std::int32_t &node : set.nodes)
        node = local[node];
    if (!whole_.periodic_master.empty())
      for (const std::int32_t node : share_.whole_nodes)
        if (const std::int32_t first = first_image[master[node]]; first != local[node])
          part_.periodic_master.emplace(local[node], first);
    for (const auto &[group, nodes] : whole_.point_groups) {
      std::vector<std::int32_t> &here = part_.point_groups[group]; // empty in most parts
      for (const std::int32_t node : nodes)
        if (local[node] >= 0)
          here.push_back(local[node]);
    }
  }

  // Facets whose cells are here.
  void take_facets() {
    const auto place_of = [&](FacetRef &ref) {
      if (ref.cell >= 0)
        ref.cell = place_[graph_.first_cell[ref.set] + ref.cell];
      return ref.cell >= 0;
    };
    for (std::size_t f = 0; f < whole_.facets.size(); ++f) {
      Facet facet = whole_.facets[f];
      const bool on_boundary = static_cast<std::int64_t>(f) < whole_.num_boundary_facets;
      if (!place_of(facet.minus) || (!on_boundary && !place_of(facet.plus)))
        continue;
      part_.facets.push_back(facet);
      part_.num_boundary_facets += on_boundary ? 1 : 0;
    }
    const auto before = [](const Facet &a, const Facet &b) {
      return std::tie(a.minus.set, a.minus.cell, a.minus.facet) <
             std::tie(b.minus.set, b.minus.cell, b.minus.facet);
    };
    // In the order of cells on each side of the division, as find_facets() leaves them.
    const auto boundary_end = part_.facets.begin() + part_.num_boundary_facets;
    for (auto facet = boundary_end; facet != part_.facets.end(); ++facet)
      if (std::tie(facet->plus.set, facet->plus.cell) <
          std::tie(facet->minus.set, facet->minus.cell))
        std::swap(facet->plus, facet->minus);
    std::sort(part_.facets.begin(), boundary_end, before);
    std::sort(boundary_end, part_.facets.end(), before);
  }

  const Mesh &whole_;
  const CellGraph &graph_;
  std::vector<std::int32_t> place_; // [cell of the whole mesh]: in its set here; -1: not here
  Mesh part_;
  MeshShare share_;
};

} // namespace

std::vector<std::int32_t> partition_mesh(const CellGraph &graph,
                                         std::span<const double> cost_of_set,
                                         std::int32_t num_parts) {
  std::vector<double> cost(graph.num_cells);
  for (std::size_t s = 0; s < cost_of_set.size(); ++s)
    std::fill(cost.begin() + graph.first_cell[s], cost.begin() + graph.first_cell[s + 1],
              cost_of_set[s]);
  return partition_into(make_adjacency(graph.neighbour, graph.num_cells, graph.width), cost,
                        num_parts);
}

MeshParts::MeshParts(const Mesh &whole, const CellGraph &graph, std::vector<std::int32_t> part,
                     std::int32_t num_parts)
    : whole_(whole), graph_(graph), part_(std::move(part)), num_parts_(num_parts) {
  require(static_cast<std::int64_t>(part_.size()) == graph.num_cells, "each cell has a part");
  cells_of_part_ = group_cells(part_, num_parts);
  join_periodic_vertices();
  find_cells_of_vertices();
  find_owners();
}

void MeshParts::join_periodic_vertices() {
  master_.resize(whole_.num_nodes());
  std::iota(master_.begin(), master_.end(), 0);
  for (const auto &[node, master] : whole_.periodic_master)
    master_[node] = master;
}

std::int32_t MeshParts::set_of(std::int32_t cell) const {
  std::int32_t set = 0;
  while (cell >= graph_.first_cell[set + 1])
    ++set;
  return set;
}

std::span<const std::int32_t> MeshParts::vertices_of(std::int32_t cell) const {
  const std::int32_t s = set_of(cell);
  const CellSet &set = whole_.sets[s];
  return {&set.nodes[(cell - graph_.first_cell[s]) * set.nodes_per_cell],
          static_cast<std::size_t>(num_vertices(set.type))};
}

void MeshParts::find_cells_of_vertices() {
  first_of_vertex_.assign(whole_.num_nodes() + 1, 0);
  for (std::int32_t cell = 0; cell < graph_.num_cells; ++cell)
    for (const std::int32_t vertex : vertices_of(cell))
      ++first_of_vertex_[master_[vertex] + 1];
  std::partial_sum(first_of_vertex_.begin(), first_of_vertex_.end(), first_of_vertex_.begin());
  cells_of_vertex_.resize(first_of_vertex_.back());
  std::vector<std::int64_t> next(first_of_vertex_.begin(), first_of_vertex_.end() - 1);
  for (std::int32_t cell = 0; cell < graph_.num_cells; ++cell)
    for (const std::int32_t vertex : vertices_of(cell))
      cells_of_vertex_[next[master_[vertex]]++] = cell;
}

void MeshParts::find_owners() {
  owner_.assign(whole_.num_nodes(), -1);
  std::vector<std::int32_t> parts;
  for (std::int32_t vertex = 0; vertex < whole_.num_nodes(); ++vertex) {
    parts.clear();
    for (std::int64_t i = first_of_vertex_[vertex]; i < first_of_vertex_[vertex + 1]; ++i)
      parts.push_back(part_[cells_of_vertex_[i]]);
    std::sort(parts.begin(), parts.end());
    std::ptrdiff_t most = 0;
    std::vector<std::int32_t> candidates;
    for (auto first = parts.begin(); first != parts.end();) {
      const auto end = std::upper_bound(first, parts.end(), *first);
      if (end - first > most) {
        most = end - first;
        candidates.clear();
      }
      if (end - first == most)
        candidates.push_back(*first);
      first = end;
    }
    if (!candidates.empty())
      owner_[vertex] = candidates[scrambled(vertex) % candidates.size()];
  }
  std::vector<std::int32_t> groups = owner_;
  std::replace(groups.begin(), groups.end(), -1, num_parts_);
  vertices_of_part_ = group_cells(groups, num_parts_ + 1);
}

bool MeshParts::touches_others(std::int32_t number, std::int32_t cell) const {
  for (const std::int32_t vertex : vertices_of(cell))
    if (owner_[master_[vertex]] != number)
      return true;
  const auto neighbours = graph_.neighbour.begin() + std::int64_t{cell} * graph_.width;
  return std::any_of(neighbours, neighbours + graph_.width, [&](std::int32_t neighbour) {
    return neighbour >= 0 && part_[neighbour] != number;
  });
}

// Ascending by owner and number.
std::vector<std::int32_t> MeshParts::find_ghosts(std::int32_t number) const {
  std::vector<std::int32_t> ghosts;
  const auto take = [&](std::int32_t cell) {
    if (cell >= 0 && part_[cell] != number)
      ghosts.push_back(cell);
  };
  for (const std::int32_t vertex : vertices_of_part_.of(number))
    for (std::int64_t i = first_of_vertex_[vertex]; i < first_of_vertex_[vertex + 1]; ++i)
      take(cells_of_vertex_[i]);
  for (const std::int32_t cell : cells_of_part_.of(number))
    for (int slot = 0; slot < graph_.width; ++slot)
      take(graph_.neighbour[std::int64_t{cell} * graph_.width + slot]);
  std::sort(ghosts.begin(), ghosts.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(part_[a], a) < std::pair(part_[b], b);
  });
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  return ghosts;
}

Mesh MeshParts::part(std::int32_t number, int leaf_cells) const {
  struct Ranges {
    std::vector<std::int32_t> inner, border, ghosts;
  };
  std::vector<Ranges> ranges(whole_.sets.size());
  const auto put = [&](std::int32_t cell, std::vector<std::int32_t> Ranges::*range) {
    const std::int32_t set = set_of(cell);
    (ranges[set].*range).push_back(static_cast<std::int32_t>(cell - graph_.first_cell[set]));
  };
  for (const std::int32_t cell : cells_of_part_.of(number))
    put(cell, touches_others(number, cell) ? &Ranges::border : &Ranges::inner);
  for (const std::int32_t cell : find_ghosts(number))
    put(cell, &Ranges::ghosts);
  PartMaker maker(whole_, graph_, number);
  for (std::size_t s = 0; s < ranges.size(); ++s)
    maker.add_set(static_cast<std::int32_t>(s),
                  ordered_cells(whole_, whole_.sets[s], ranges[s].inner, leaf_cells),
                  ordered_cells(whole_, whole_.sets[s], ranges[s].border, leaf_cells),
                  ranges[s].ghosts, leaf_cells);
  return maker.finish(num_parts_, part_, master_, owner_);
}

} // namespace weft
