#include "op/levels/low_order_mesh.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "op/problem/named_parts.h"
#include "space/line_basis.h"

namespace weft {

namespace {

// How a cell of `lines`^dim parts is divided, lexicographically.
class Lattice {
public:
  explicit Lattice(const Element &element)
      : cell_(element.cell), dim_(dimension(element.cell)), lines_(element.order),
        element_nodes_(line_basis(element).element_nodes) {}

  int num_parts() const { return power(lines_); }

  // Numbers in the element of the vertices of each part, [part][vertex].
  std::vector<int> vertices() const {
    const int num = num_vertices(cell_);
    const std::span<const double> at = reference_vertices(cell_);
    std::vector<int> result;
    for (int part = 0; part < num_parts(); ++part) {
      const std::array<int, 3> first = place(part);
      for (int v = 0; v < num; ++v) {
        int node = 0;
        for (int d = dim_ - 1; d >= 0; --d)
          node = node * (lines_ + 1) + first[d] + (at[v * dim_ + d] > 0.5 ? 1 : 0);
        result.push_back(element_nodes_[node]);
      }
    }
    return result;
  }

  // Parts that have a side on a facet; it is the same local facet of theirs.
  std::vector<int> parts_on(int facet) const {
    const std::span<const int> vertices = facet_vertices(cell_, facet);
    const std::span<const double> at = reference_vertices(cell_);
    std::vector<int> result;
    for (int d = 0; d < dim_; ++d) {
      const double side = at[vertices[0] * dim_ + d];
      if (std::any_of(vertices.begin(), vertices.end(),
                      [&](int v) { return at[v * dim_ + d] != side; }))
        continue;
      for (int part = 0; part < num_parts(); ++part)
        if (place(part)[d] == (side > 0.5 ? lines_ - 1 : 0))
          result.push_back(part);
    }
    return result;
  }

private:
  int power(int base) const { return dim_ == 2 ? base * base : base * base * base; }
  std::array<int, 3> place(int part) const {
    return {part % lines_, part / lines_ % lines_, part / lines_ / lines_};
  }

  CellType cell_;
  int dim_, lines_;
  std::vector<int> element_nodes_; // [lattice node]
};

// The numbers of nodes with periodic ones apart, by those of `map` in each cell.
NodeMap numbering_without_periodicity(const Mesh &mesh, int order) {
  Mesh open = mesh;
  open.periodic_master.clear();
  return make_node_map(open, order);
}

// Vertices that are one node of the map follow the first of them.
std::map<std::int32_t, std::int32_t> masters(const std::vector<std::int32_t> &fine_nodes,
                                             std::int64_t num_fine) {
  std::vector<std::int32_t> first(num_fine, -1);
  std::map<std::int32_t, std::int32_t> result;
  for (std::size_t node = 0; node < fine_nodes.size(); ++node) {
    std::int32_t &known = first[fine_nodes[node]];
    if (known < 0)
      known = static_cast<std::int32_t>(node);
    else
      result.emplace(static_cast<std::int32_t>(node), known);
  }
  return result;
}

// Leaves of whole cells, of about as many parts as leaves of order 1 have.
std::vector<std::int64_t> leaves_of_parts(const std::vector<std::int64_t> &leaves, int parts) {
  constexpr int leaf_parts = 256;
  std::int64_t cells = 1;
  while (2 * cells * parts <= leaf_parts)
    cells *= 2;
  std::vector<std::int64_t> result;
  for (std::size_t leaf = 1; leaf < leaves.size(); ++leaf)
    for (std::int64_t cell = leaves[leaf - 1]; cell < leaves[leaf]; cell += cells)
      result.push_back(cell * parts);
  result.push_back(leaves.back() * parts);
  return result;
}

CellSet divide(const CellSet &set, const NodeMapSet &nodes, const Lattice &lattice) {
  const int parts = lattice.num_parts(), num = num_vertices(set.type);
  const int num_nodes = nodes.element.num_nodes();
  const std::vector<int> vertices = lattice.vertices();
  CellSet result{.type = set.type, .nodes_per_cell = num};
  result.nodes.resize(set.num_cells() * parts * num);
  result.region.resize(set.num_cells() * parts);
  result.leaf_offset = leaves_of_parts(set.leaf_offset, parts);
  parallel_ranges(set.num_cells(), [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t cell = begin; cell < end; ++cell) {
      std::transform(vertices.begin(), vertices.end(),
                     result.nodes.begin() + cell * static_cast<std::int64_t>(vertices.size()),
                     [&](int node) { return nodes.nodes[cell * num_nodes + node]; });
      std::fill_n(result.region.begin() + cell * parts, parts, set.region[cell]);
    }
  });
  return result;
}

// Parts of the boundary's facets.
std::vector<Facet> divide_boundary(const Mesh &mesh, const std::vector<Lattice> &lattices) {
  std::vector<std::vector<std::vector<int>>> parts_on(mesh.sets.size()); // [set][facet]
  for (std::size_t s = 0; s < mesh.sets.size(); ++s)
    for (int facet = 0; facet < num_facets(mesh.sets[s].type); ++facet)
      parts_on[s].push_back(lattices[s].parts_on(facet));
  std::vector<Facet> facets;
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f) {
    const Facet &facet = mesh.facets[f];
    const int parts = lattices[facet.minus.set].num_parts();
    for (const int part : parts_on[facet.minus.set][facet.minus.facet]) {
      facets.push_back(facet);
      facets.back().minus.cell = facet.minus.cell * parts + part;
    }
  }
  return facets;
}

// Named points, and the parts of the edges of named curves.
void divide_named_parts(const Mesh &mesh, const NodeMap &nodes, Mesh &divided) {
  const auto for_each = [&](Domain domain, const auto &groups, const auto &body) {
    std::vector<std::string> names;
    for (const auto &[name, parts] : groups)
      names.push_back(name);
    if (names.empty())
      return;
    const NamedParts named = find_named_parts(mesh, domain, names, false, "");
    for (const FacetGroup &group : named.groups) {
      const NodeMapSet &set = nodes.sets[group.set];
      std::vector<int> local = nodes_on_part(set.element, domain, group.facet);
      if (local.size() > 1) // the other end last
        std::rotate(local.begin() + 1, local.begin() + 2, local.end());
      for (std::size_t i = 0; i < group.cells.size(); ++i) {
        std::vector<std::int32_t> on_part;
        for (const int node : local)
          on_part.push_back(
              set.nodes[std::int64_t{group.cells[i]} * set.element.num_nodes() + node]);
        for (const std::string &name : named.classes[group.classes[i]].groups)
          body(name, on_part);
      }
    }
  };
  using Nodes = std::vector<std::int32_t>;
  for_each(Domain::points, mesh.point_groups, [&](const std::string &name, const Nodes &vertex) {
    divided.point_groups[name].push_back(vertex[0]);
  });
  for_each(Domain::edges, mesh.edge_groups, [&](const std::string &name, const Nodes &along) {
    for (std::size_t n = 1; n < along.size(); ++n)
      divided.edge_groups[name].push_back(
          {std::min(along[n - 1], along[n]), std::max(along[n - 1], along[n])});
  });
  for (auto &[name, edges] : divided.edge_groups)
    std::sort(edges.begin(), edges.end());
}

} // namespace

LowOrderMesh make_low_order_mesh(const Mesh &mesh, const NodeMap &map) {
  const bool periodic = !mesh.periodic_master.empty();
  const NodeMap apart = periodic ? numbering_without_periodicity(mesh, map.order) : NodeMap{};
  const NodeMap &nodes = periodic ? apart : map;
  std::vector<Lattice> lattices;
  LowOrderMesh result;
  Mesh &divided = result.mesh;
  divided.dim = mesh.dim;
  divided.coordinates = nodes.coordinates;
  divided.region_classes = mesh.region_classes;
  divided.facet_classes = mesh.facet_classes;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    lattices.emplace_back(nodes.sets[s].element);
    require(mesh.sets[s].num_cells() <=
                std::numeric_limits<std::int32_t>::max() / lattices[s].num_parts(),
            "parts of cells are numbered in 32 bits");
    divided.sets.push_back(divide(mesh.sets[s], nodes.sets[s], lattices[s]));
  }
  divided.facets = divide_boundary(mesh, lattices);
  divided.num_boundary_facets = static_cast<std::int64_t>(divided.facets.size());
  divide_named_parts(mesh, nodes, divided);
  result.fine_nodes.resize(nodes.num_local);
  for (std::size_t s = 0; s < mesh.sets.size(); ++s)
    for (std::size_t i = 0; i < nodes.sets[s].nodes.size(); ++i)
      result.fine_nodes[nodes.sets[s].nodes[i]] = map.sets[s].nodes[i];
  if (periodic)
    divided.periodic_master = masters(result.fine_nodes, map.num_local);
  return result;
}

} // namespace weft
