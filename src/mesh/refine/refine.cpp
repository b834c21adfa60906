#include "mesh/refine/refine.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "mesh/build/periodic.h"
#include "mesh/build/raise_order.h"
#include "mesh/build/second_order.h"
#include "mesh/refine/cell_children.h"
#include "mesh/refine/split_facets.h"
#include "mesh/vertex_tuples.h"

namespace weft {

namespace {

// The nodes of order 2 that lie on edges and faces, by the vertices they lie between.
VertexTuples tuples_of(const Mesh &mesh) {
  VertexTuples tuples(mesh.num_nodes());
  for (const CellSet &set : mesh.sets) {
    const auto &supports = second_order_supports(set.type);
    const int vertices = num_vertices(set.type);
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      const std::int32_t *nodes = &set.nodes[c * set.nodes_per_cell];
      for (std::size_t s = 0; s < supports.size(); ++s) {
        std::array<std::int32_t, 4> on;
        if (supports[s].size() > on.size())
          continue; // the middle of a hexahedron is its own
        std::transform(supports[s].begin(), supports[s].end(), on.begin(),
                       [&](int v) { return nodes[v]; });
        tuples.find_or_add(std::span(on.data(), supports[s].size()), nodes[vertices + s]);
      }
    }
  }
  return tuples;
}

// The vertices of a mesh of order 2 by themselves, its other nodes by those they lie between.
VertexParents parents_of(const Mesh &mesh, std::int64_t num_children_nodes) {
  VertexParents parents;
  parents.first.assign(num_children_nodes + 1, 0);
  const auto for_each_node = [&](auto body) {
    for (const CellSet &set : mesh.sets) {
      const auto &supports = second_order_supports(set.type);
      const int vertices = num_vertices(set.type);
      for (std::int64_t c = 0; c < set.num_cells(); ++c) {
        const std::int32_t *nodes = &set.nodes[c * set.nodes_per_cell];
        for (int v = 0; v < vertices; ++v)
          body(nodes[v], nodes, std::span(&v, 1));
        for (std::size_t s = 0; s < supports.size(); ++s)
          body(nodes[vertices + s], nodes, std::span(supports[s].data(), supports[s].size()));
      }
    }
  };
  for_each_node([&](std::int32_t node, const std::int32_t *, std::span<const int> on) {
    parents.first[node + 1] = static_cast<std::int64_t>(on.size());
  });
  for (std::size_t n = 1; n < parents.first.size(); ++n)
    parents.first[n] += parents.first[n - 1];
  parents.vertices.resize(parents.first.back());
  for_each_node([&](std::int32_t node, const std::int32_t *nodes, std::span<const int> on) {
    for (std::size_t i = 0; i < on.size(); ++i)
      parents.vertices[parents.first[node] + static_cast<std::int64_t>(i)] = nodes[on[i]];
  });
  return parents;
}

double square_distance(const Mesh &mesh, std::int64_t a, std::int64_t b) {
  double sum = 0;
  for (int d = 0; d < mesh.dim; ++d) {
    const double apart = mesh.coordinates[a * mesh.dim + d] - mesh.coordinates[b * mesh.dim + d];
    sum += apart * apart;
  }
  return sum;
}

// The shortest; of those equal but for rounding the first.
int choose_diagonal(const Mesh &mesh, const std::int32_t *nodes) {
  constexpr double rounding = 1e-9;
  int best = 0;
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const auto [a, b] = octahedron_diagonals[i];
    const double length = square_distance(mesh, nodes[a], nodes[b]);
    if (length < (1 - rounding) * shortest) {
      shortest = length;
      best = i;
    }
  }
  return best;
}

// What is the same for all children of a cell type at one place in the list.
struct ChildGeometry {
  std::vector<std::vector<double>> basis; // [node after the vertices]: the parent's basis there
};

ChildGeometry geometry_of(CellType cell, const CellChild &child) {
  const int dim = dimension(cell);
  const std::vector<double> &at = second_order_coordinates(cell);
  ChildGeometry geometry;
  for (const auto &support : second_order_supports(child.type)) {
    std::vector<double> x(dim, 0.0);
    for (const int v : support)
      for (int d = 0; d < dim; ++d)
        x[d] += at[child.vertices[v] * dim + d] / static_cast<double>(support.size());
    geometry.basis.push_back(second_order_basis(cell, x.data()));
  }
  return geometry;
}

// Splits the cells of `mesh`, whose cells have their nodes of order 2, into those of `fine`.
class Splitter {
public:
  Splitter(const Mesh &mesh, int order, Mesh &fine)
      : mesh_(mesh), order_(order), fine_(fine), shared_(mesh.num_nodes()) {}

  void split(const CellSet &set) {
    const int diagonals = set.type == CellType::tetrahedron ? 3 : 1;
    for (const CellChild &child : cell_children(set.type))
      set_of(child.type); // in this order, whether there are cells or none
    std::vector<std::int8_t> &diagonal_of_cell = diagonals_.emplace_back();
    std::vector<std::vector<ChildGeometry>> geometry(diagonals);
    for (int i = 0; i < diagonals && order_ == 2; ++i)
      for (const CellChild &child : cell_children(set.type, i))
        geometry[i].push_back(geometry_of(set.type, child));
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      const std::int32_t *nodes = &set.nodes[c * set.nodes_per_cell];
      const int diagonal = diagonals == 3 ? choose_diagonal(mesh_, nodes) : 0;
      if (diagonals == 3)
        diagonal_of_cell.push_back(static_cast<std::int8_t>(diagonal));
      const auto &children = cell_children(set.type, diagonal);
      for (std::size_t k = 0; k < children.size(); ++k) {
        CellSet &to = set_of(children[k].type);
        for (const int v : children[k].vertices)
          to.nodes.push_back(nodes[v]);
        to.region.push_back(set.region[c]);
        if (order_ == 2)
          add_curved_nodes(to, set, nodes, geometry[diagonal][k]);
      }
    }
  }

  // [set][cell]: of tetrahedra, the diagonal that was taken; of other cells nothing.
  const std::vector<std::vector<std::int8_t>> &diagonals() const { return diagonals_; }

private:
  CellSet &set_of(CellType type) {
    for (CellSet &set : fine_.sets)
      if (set.type == type)
        return set;
    fine_.sets.push_back({.type = type, .nodes_per_cell = num_geometry_nodes(type, order_)});
    return fine_.sets.back();
  }

  void add_curved_nodes(CellSet &to, const CellSet &set, const std::int32_t *nodes,
                        const ChildGeometry &geometry) {
    const std::size_t first = to.nodes.size() - num_vertices(to.type);
    const auto &supports = second_order_supports(to.type);
    for (std::size_t s = 0; s < supports.size(); ++s) {
      std::array<std::int32_t, 8> on;
      std::transform(supports[s].begin(), supports[s].end(), on.begin(),
                     [&](int v) { return to.nodes[first + v]; });
      const auto next = static_cast<std::int32_t>(fine_.num_nodes());
      const bool own = supports[s].size() > 4; // the middle of a hexahedron
      const std::int32_t node =
          own ? next : shared_.find_or_add(std::span(on.data(), supports[s].size()), next);
      if (node == next)
        place(set, nodes, geometry.basis[s]);
      to.nodes.push_back(node);
    }
  }

  void place(const CellSet &set, const std::int32_t *nodes, const std::vector<double> &basis) {
    for (int d = 0; d < mesh_.dim; ++d) {
      double sum = 0;
      for (int g = 0; g < set.nodes_per_cell; ++g)
        sum += basis[g] * mesh_.coordinates[std::int64_t(nodes[g]) * mesh_.dim + d];
      fine_.coordinates.push_back(sum);
    }
  }

  const Mesh &mesh_;
  int order_;
  Mesh &fine_;
  VertexTuples shared_; // the nodes of order 2 of the children
  std::vector<std::vector<std::int8_t>> diagonals_;
};

RawElements split_elements(const RawElements &elements, const VertexTuples &tuples) {
  RawElements fine;
  fine.type = elements.type;
  fine.nodes_per_element = elements.nodes_per_element;
  const auto &supports = second_order_supports(elements.type);
  for (std::int64_t e = 0; e < elements.size(); ++e) {
    const std::int32_t *vertices = &elements.nodes[e * elements.nodes_per_element];
    std::vector<std::int32_t> nodes(vertices, vertices + elements.nodes_per_element);
    for (const auto &support : supports) {
      std::vector<std::int32_t> on;
      for (const int v : support)
        on.push_back(vertices[v]);
      nodes.push_back(tuples.find(on));
      require(nodes.back() >= 0, "an element of lower dimension is a facet or an edge of a cell");
    }
    for (const CellChild &child : cell_children(elements.type)) {
      for (const int v : child.vertices)
        fine.nodes.push_back(nodes[v]);
      fine.labels.push_back(elements.labels[e]);
      fine.tags.push_back(elements.tag(e));
    }
  }
  return fine;
}

// The halves of the edges of named curves.
std::map<std::string, std::vector<Edge>> split_edges(const Mesh &second_order,
                                                     const VertexTuples &tuples) {
  std::map<std::string, std::vector<Edge>> groups;
  for (const auto &[name, edges] : second_order.edge_groups) {
    std::vector<Edge> &halves = groups[name];
    for (const Edge &edge : edges) {
      const std::int32_t middle = tuples.find(edge);
      require(middle >= 0, "an edge of a group is one of a cell");
      for (const std::int32_t end : edge)
        halves.push_back({std::min(end, middle), std::max(end, middle)});
    }
    std::sort(halves.begin(), halves.end());
  }
  return groups;
}

void split_raw(RawMesh &raw, const Mesh &second_order, const VertexTuples &tuples) {
  for (RawElements &elements : raw.elements)
    if (elements.type != CellType::point)
      elements = split_elements(elements, tuples);
  raw.periodic = with_second_order(second_order, raw.periodic);
}

} // namespace

void check_can_be_refined(CellType type, std::int64_t num_cells, int order) {
  if (num_cells > std::numeric_limits<std::int32_t>::max() / 64)
    throw Error(ErrorKind::unsupported,
                {"The refined mesh has too many cells.", "[mesh] refine",
                 fmt::format("{} {} cells to be split", num_cells, to_string(type)),
                 fmt::format("{}", std::numeric_limits<std::int32_t>::max() / 64),
                 "refine fewer times"});
  if (type == CellType::pyramid && order == 2)
    throw Error(ErrorKind::unsupported, {"Pyramids of geometry order 2 cannot be refined.",
                                         "[mesh] refine", fmt::format("{} of them", num_cells),
                                         "order = 1, or other cells", "set [mesh] order = 1"});
}

VertexParents refine(Mesh &mesh, RawMesh &raw) {
  for (const CellSet &set : mesh.sets)
    check_can_be_refined(set.type, set.num_cells(), mesh.geometry_order);
  const int order = mesh.geometry_order;
  if (order == 1)
    raise_order(mesh);
  Mesh fine;
  fine.dim = mesh.dim;
  fine.geometry_order = order;
  fine.coordinates = mesh.coordinates;
  fine.region_classes = mesh.region_classes;
  fine.facet_classes = mesh.facet_classes;
  fine.point_groups = mesh.point_groups;
  Splitter splitter(mesh, order, fine);
  for (const CellSet &set : mesh.sets)
    splitter.split(set);
  for (CellSet &set : fine.sets)
    set.leaf_offset = {0, set.num_cells()};
  split_facets(mesh, splitter.diagonals(), fine);
  const VertexTuples tuples = tuples_of(mesh);
  fine.edge_groups = split_edges(mesh, tuples);
  split_raw(raw, mesh, tuples);
  VertexParents parents = parents_of(mesh, fine.num_nodes());
  mesh = std::move(fine);
  return parents;
}

} // namespace weft
