#include "mesh/parts/make_part.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "mesh/build/cell_graph.h"
#include "mesh/build/periodic.h"
#include "mesh/order/blocks.h"
#include "mesh/parts/cells_of_vertices.h"
#include "mesh/parts/copy_groups.h"
#include "mesh/parts/piece_halo.h"
#include "mesh/parts/vertex_owners.h"

namespace weft {

namespace {

// Cells of a set of the piece, in the order that they get.
struct Ranges {
  std::vector<std::int32_t> inner, border, ghosts;
};

class PartMaker {
public:
  PartMaker(const MeshPiece &piece, int leaf_cells, Communicator &ranks)
      : piece_(piece), leaf_cells_(leaf_cells), graph_(make_cell_graph(piece.mesh, Partners::some)),
        cells_(piece.mesh), owner_(vertex_owners(piece, cells_, ranks)),
        place_(cells_.num_cells(), -1) {
    if (!piece.links.empty()) // on all ranks
      find_images(ranks);
  }

  Mesh make() {
    part_.dim = piece_.mesh.dim;
    part_.geometry_order = piece_.mesh.geometry_order;
    part_.region_classes = piece_.mesh.region_classes;
    part_.facet_classes = piece_.mesh.facet_classes;
    share_.part = piece_.part;
    share_.num_parts = piece_.num_parts;
    share_.num_whole_nodes = piece_.num_whole_nodes;
    const std::vector<Ranges> ranges = find_ranges();
    for (std::size_t s = 0; s < ranges.size(); ++s)
      add_set(s, ranges[s]);
    take_nodes();
    take_facets();
    part_.share = std::move(share_);
    return std::move(part_);
  }

private:
  std::int32_t part_of(std::int32_t cell) const { return weft::part_of(piece_, cells_, cell); }

  // Of nodes of other parts' cells, some images may not be here.
  void find_images(Communicator &ranks) {
    lowest_ = lowest_images(piece_, joined_nodes(piece_.mesh, piece_.links));
    const auto for_nodes = [&](std::int32_t cell, auto &visit) {
      const std::size_t s = cells_.set_of(cell);
      const CellSet &set = piece_.mesh.sets[s];
      for (int i = 0; i < set.nodes_per_cell; ++i)
        visit(lowest_[set.nodes[std::int64_t{cell - cells_.first(s)} * set.nodes_per_cell + i]]);
    };
    PieceHalo(piece_, cells_)
        .tell(
            ranks, [&](std::int32_t cell, ByteWriter &writer) { for_nodes(cell, writer); },
            [&](std::int32_t cell, ByteReader &reader) { for_nodes(cell, reader); });
  }

  std::vector<Ranges> find_ranges() const {
    std::vector<Ranges> ranges(piece_.mesh.sets.size());
    for (std::int32_t cell = 0; cell < cells_.num_cells(); ++cell) {
      const std::size_t s = cells_.set_of(cell);
      const std::int32_t in_set = cell - cells_.first(s);
      if (part_of(cell) == piece_.part)
        (touches_others(cell) ? ranges[s].border : ranges[s].inner).push_back(in_set);
      else if (is_needed(cell))
        ranges[s].ghosts.push_back(in_set);
    }
    for (std::size_t s = 0; s < ranges.size(); ++s) {
      const CellSet &set = piece_.mesh.sets[s];
      for (auto *range : {&ranges[s].inner, &ranges[s].border})
        *range = ordered_cells(piece_.mesh, set, *range, leaf_cells_);
      const std::vector<std::int32_t> &part = piece_.cells[s].part;
      std::stable_sort(ranges[s].ghosts.begin(), ranges[s].ghosts.end(),
                       [&](std::int32_t a, std::int32_t b) { return part[a] < part[b]; });
    }
    return ranges;
  }

  bool touches_others(std::int32_t cell) const {
    for (const std::int32_t vertex : cells_.vertices_of(cell))
      if (owner_[vertex] != piece_.part)
        return true;
    return has_neighbour(cell, [&](std::int32_t part) { return part != piece_.part; });
  }
  bool is_needed(std::int32_t ghost) const {
    for (const std::int32_t vertex : cells_.vertices_of(ghost))
      if (owner_[vertex] == piece_.part)
        return true;
    return has_neighbour(ghost, [&](std::int32_t part) { return part == piece_.part; });
  }
  template <typename Is> bool has_neighbour(std::int32_t cell, const Is &is) const {
    const auto neighbours = graph_.neighbour.begin() + std::int64_t{cell} * graph_.width;
    return std::any_of(neighbours, neighbours + graph_.width, [&](std::int32_t neighbour) {
      return neighbour >= 0 && is(part_of(neighbour));
    });
  }

  // The ranges follow one another.
  void add_set(std::size_t s, const Ranges &ranges) {
    const CellSet &from = piece_.mesh.sets[s];
    const MeshPiece::Cells &of_set = piece_.cells[s];
    CellSet to{.type = from.type, .nodes_per_cell = from.nodes_per_cell};
    MeshShare::Cells &share = share_.sets.emplace_back();
    share.num_inner = static_cast<std::int64_t>(ranges.inner.size());
    share.num_owned = share.num_inner + static_cast<std::int64_t>(ranges.border.size());
    for (const auto *range : {&ranges.inner, &ranges.border, &ranges.ghosts}) {
      const auto begin = static_cast<std::int64_t>(to.region.size());
      for (const std::int32_t cell : *range) {
        place_[cells_.first(s) + cell] = static_cast<std::int32_t>(to.region.size());
        const auto nodes = from.nodes.begin() + std::int64_t{cell} * from.nodes_per_cell;
        to.nodes.insert(to.nodes.end(), nodes, nodes + from.nodes_per_cell);
        to.region.push_back(from.region[cell]);
        share.whole.push_back(
            static_cast<std::int32_t>(share_.num_whole_cells + of_set.whole[cell]));
      }
      // No leaf is of two ranges.
      for (std::int64_t leaf = begin; leaf < to.num_cells(); leaf += leaf_cells_)
        to.leaf_offset.push_back(leaf);
    }
    for (const std::int32_t ghost : ranges.ghosts)
      share.owner.push_back(of_set.part[ghost]);
    share_.num_whole_cells += of_set.num_whole;
    to.leaf_offset.push_back(to.num_cells());
    part_.sets.push_back(std::move(to));
  }

  void take_nodes() {
    const Mesh &mesh = piece_.mesh;
    std::vector<std::int32_t> local(mesh.num_nodes(), -1);
    for (const CellSet &set : part_.sets)
      for (const std::int32_t node : set.nodes)
        local[node] = 0;
    std::map<std::int32_t, std::int32_t> first_image; // by lowest_: in this part
    for (std::int32_t node = 0; node < mesh.num_nodes(); ++node) {
      if (local[node] < 0)
        continue;
      local[node] = static_cast<std::int32_t>(share_.whole_nodes.size());
      share_.whole_nodes.push_back(piece_.whole_nodes[node]);
      share_.vertex_owner.push_back(owner_[node]);
      const auto x = mesh.coordinates.begin() + std::int64_t{node} * mesh.dim;
      part_.coordinates.insert(part_.coordinates.end(), x, x + mesh.dim);
      // The lowest that is here stands for all.
      if (!lowest_.empty()) {
        share_.lowest_image.push_back(lowest_[node]);
        if (const auto [first, is_first] = first_image.emplace(lowest_[node], local[node]);
            !is_first)
          part_.periodic_master.emplace(local[node], first->second);
      }
    }
    for (CellSet &set : part_.sets)
      for (std::int32_t &node : set.nodes)
        node = local[node];
    copy_points_and_edges(mesh, local, part_);
  }

  // Facets whose cells are here.
  void take_facets() {
    copy_facets(piece_.mesh, cells_, place_, part_);
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

  const MeshPiece &piece_;
  int leaf_cells_;
  CellGraph graph_;
  CellsOfVertices cells_;
  std::vector<std::int32_t> owner_;  // [node]
  std::vector<std::int32_t> lowest_; // [node]: lowest_images() in all parts; without links nothing
  std::vector<std::int32_t> place_;  // [cell]: in its set of the part; -1: not there
  Mesh part_;
  MeshShare share_;
};

} // namespace

Mesh make_part(const MeshPiece &piece, int leaf_cells, Communicator &ranks) {
  return PartMaker(piece, leaf_cells, ranks).make();
}

} // namespace weft
