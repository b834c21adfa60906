#include "output/vtk/vtk_cells.h"

#include <array>
#include <cmath>

#include "base/error.h"

namespace weft {

namespace {

using Barycentric = std::array<int, 4>; // numerators over the order; three used in 2D

// Vertices, edges in their direction, then the triangle of order p - 3 inside.
std::vector<Barycentric> triangle_points(int p) {
  if (p == 0)
    return {{0, 0, 0, 0}};
  std::vector<Barycentric> points = {{p, 0, 0, 0}, {0, p, 0, 0}, {0, 0, p, 0}};
  for (int edge = 0; edge < 3; ++edge)
    for (int k = 1; k < p; ++k) {
      Barycentric b{};
      b[edge] = p - k;
      b[(edge + 1) % 3] = k;
      points.push_back(b);
    }
  if (p >= 3)
    for (Barycentric b : triangle_points(p - 3))
      points.push_back({b[0] + 1, b[1] + 1, b[2] + 1, 0});
  return points;
}

std::vector<Barycentric> tetrahedron_points(int p) {
  if (p == 0)
    return {{0, 0, 0, 0}};
  std::vector<Barycentric> points = {{p, 0, 0, 0}, {0, p, 0, 0}, {0, 0, p, 0}, {0, 0, 0, p}};
  constexpr int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (const auto &edge : edges)
    for (int k = 1; k < p; ++k) {
      Barycentric b{};
      b[edge[0]] = p - k;
      b[edge[1]] = k;
      points.push_back(b);
    }
  constexpr int faces[4][3] = {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}};
  if (p >= 3)
    for (const auto &face : faces)
      for (const Barycentric &inner : triangle_points(p - 3)) {
        Barycentric b{};
        for (int v = 0; v < 3; ++v)
          b[face[v]] = inner[v] + 1;
        points.push_back(b);
      }
  if (p >= 4)
    for (const Barycentric &b : tetrahedron_points(p - 4))
      points.push_back({b[0] + 1, b[1] + 1, b[2] + 1, b[3] + 1});
  return points;
}

std::vector<double> simplex_nodes(int dim, int p) {
  std::vector<double> nodes;
  for (const Barycentric &b : dim == 2 ? triangle_points(p) : tetrahedron_points(p))
    for (int d = 0; d < dim; ++d)
      nodes.push_back(static_cast<double>(b[d + 1]) / p);
  return nodes;
}

// Integer coordinates 0..p of a square or cube; `free` directions run over 1..p-1, first fastest.
class Lattice {
public:
  Lattice(int dim, int p) : dim_(dim), p_(p) {}

  // Points of the vertex, edge, face or interior with the given fixed coordinates; -1 = free.
  void add(std::array<int, 3> fixed) {
    std::array<int, 3> begin{}, end{};
    for (int d = 0; d < 3; ++d) {
      begin[d] = fixed[d] < 0 ? 1 : fixed[d];
      end[d] = fixed[d] < 0 ? p_ : fixed[d] + 1;
    }
    for (int k = begin[2]; k < end[2]; ++k)
      for (int j = begin[1]; j < end[1]; ++j)
        for (int i = begin[0]; i < end[0]; ++i)
          for (int d = 0; d < dim_; ++d)
            nodes.push_back(static_cast<double>(std::array{i, j, k}[d]) / p_);
  }
  // The boundary of a square at height k: corners or edges.
  void add_corners(int k) {
    for (const auto &corner : {std::array{0, 0}, {p_, 0}, {p_, p_}, {0, p_}})
      add({corner[0], corner[1], k});
  }
  void add_edges(int k) {
    for (const auto &edge : {std::array{-1, 0}, {p_, -1}, {-1, p_}, {0, -1}})
      add({edge[0], edge[1], k});
  }

  std::vector<double> nodes;

private:
  int dim_;
  int p_;
};

std::vector<double> quadrilateral_nodes(int p) {
  Lattice lattice(2, p);
  lattice.add_corners(0);
  lattice.add_edges(0);
  lattice.add({-1, -1, 0});
  return lattice.nodes;
}

std::vector<double> hexahedron_nodes(int p) {
  Lattice lattice(3, p);
  lattice.add_corners(0);
  lattice.add_corners(p);
  lattice.add_edges(0);
  lattice.add_edges(p);
  lattice.add_corners(-1); // the vertical edges
  for (int d = 0; d < 3; ++d)
    for (const int side : {0, p}) {
      std::array<int, 3> face = {-1, -1, -1};
      face[d] = side;
      lattice.add(face);
    }
  lattice.add({-1, -1, -1});
  return lattice.nodes;
}

// Means of groups of vertices: the vertices themselves, edges, faces.
std::vector<double> vertex_means(CellType cell, const std::vector<std::vector<int>> &groups) {
  const auto vertices = reference_vertices(cell);
  std::vector<double> nodes;
  for (const auto &group : groups)
    for (int d = 0; d < 3; ++d) {
      double sum = 0;
      for (const int v : group)
        sum += vertices[3 * v + d];
      nodes.push_back(sum / static_cast<double>(group.size()));
    }
  return nodes;
}

// VTK's linear and quadratic wedges have their first triangle seen counter-clockwise from outside,
// ours from inside: their vertices 1, 2 and 4, 5 are our 2, 1 and 5, 4.
std::vector<double> low_order_prism_nodes(int p) {
  std::vector<std::vector<int>> groups = {{0}, {2}, {1}, {3}, {5}, {4}};
  if (p == 2)
    groups.insert(groups.end(), {{0, 2},
                                 {2, 1},
                                 {1, 0},
                                 {3, 5},
                                 {5, 4},
                                 {4, 3}, // triangles' edges
                                 {0, 3},
                                 {2, 5},
                                 {1, 4}, // the others
                                 {0, 2, 5, 3},
                                 {2, 1, 4, 5},
                                 {1, 0, 3, 4}}); // faces
  return vertex_means(CellType::prism, groups);
}

// The Lagrange wedge has its vertices as our prism. Heights run slowest within an edge, face or the
// interior; on an upright face nodes run along its edge of the base.
std::vector<double> prism_nodes(int p) {
  if (p <= 2)
    return low_order_prism_nodes(p);
  constexpr int corners[3][2] = {{0, 0}, {1, 0}, {0, 1}};
  std::vector<double> nodes;
  const auto add = [&](int i, int j, int k) {
    for (const int n : {i, j, k})
      nodes.push_back(static_cast<double>(n) / p);
  };
  const auto add_edge_nodes = [&](int edge, int k) {
    const auto &from = corners[edge], &to = corners[(edge + 1) % 3];
    for (int m = 1; m < p; ++m)
      add((p - m) * from[0] + m * to[0], (p - m) * from[1] + m * to[1], k);
  };
  const auto add_inner_nodes = [&](int k) {
    for (int j = 1; j < p; ++j)
      for (int i = 1; i + j < p; ++i)
        add(i, j, k);
  };
  for (const int k : {0, p})
    for (const auto &corner : corners)
      add(p * corner[0], p * corner[1], k);
  for (const int k : {0, p})
    for (int edge = 0; edge < 3; ++edge)
      add_edge_nodes(edge, k);
  for (const auto &corner : corners)
    for (int k = 1; k < p; ++k)
      add(p * corner[0], p * corner[1], k);
  for (const int k : {0, p})
    add_inner_nodes(k);
  for (int edge = 0; edge < 3; ++edge)
    for (int k = 1; k < p; ++k)
      add_edge_nodes(edge, k);
  for (int k = 1; k < p; ++k)
    add_inner_nodes(k);
  return nodes;
}

std::vector<double> pyramid_nodes(int p) {
  std::vector<std::vector<int>> groups = {{0}, {1}, {2}, {3}, {4}};
  if (p == 2)
    groups.insert(groups.end(), {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}});
  return vertex_means(CellType::pyramid, groups);
}

struct VtkTypes {
  CellType cell;
  int linear, quadratic, lagrange; // 0: none
};
constexpr VtkTypes vtk_types[] = {
    {CellType::triangle, 5, 22, 69},     {CellType::quadrilateral, 9, 28, 70},
    {CellType::tetrahedron, 10, 24, 71}, {CellType::hexahedron, 12, 29, 72},
    {CellType::prism, 13, 32, 73},       {CellType::pyramid, 14, 27, 0},
};

} // namespace

int vtk_cell_type(CellType cell, int order) {
  int type = 0;
  for (const VtkTypes &types : vtk_types)
    if (types.cell == cell)
      type = order == 1 ? types.linear : order == 2 ? types.quadratic : types.lagrange;
  require(type != 0, "VTK has a cell for every element");
  return type;
}

std::vector<double> vtk_nodes(CellType cell, int order) {
  switch (cell) {
  case CellType::triangle:
    return simplex_nodes(2, order);
  case CellType::tetrahedron:
    return simplex_nodes(3, order);
  case CellType::quadrilateral:
    return quadrilateral_nodes(order);
  case CellType::hexahedron:
    return hexahedron_nodes(order);
  case CellType::prism:
    return prism_nodes(order);
  case CellType::pyramid:
    return pyramid_nodes(order);
  default:
    break;
  }
  require(false, "a mesh has no cells of less than two dimensions");
  return {};
}

std::optional<VtkCell> vtk_cell_of(int type, std::int64_t num_nodes) {
  constexpr int highest_order = 9;
  for (const VtkTypes &types : vtk_types) {
    const auto holds = [&](int order) {
      const auto nodes = static_cast<std::int64_t>(vtk_nodes(types.cell, order).size());
      return nodes == num_nodes * dimension(types.cell);
    };
    if (type == types.linear && holds(1))
      return VtkCell{types.cell, 1};
    if (type == types.quadratic && holds(2))
      return VtkCell{types.cell, 2};
    for (int order = 3; type == types.lagrange && types.lagrange != 0 && order <= highest_order;
         ++order)
      if (holds(order))
        return VtkCell{types.cell, order};
  }
  return {};
}

std::vector<int> vtk_node_order(const Element &element) {
  const int dim = dimension(element.cell);
  const std::vector<double> nodes = vtk_nodes(element.cell, element.order);
  const std::vector<double> own = equispaced_nodes(element);
  std::vector<int> order;
  for (std::size_t v = 0; v < nodes.size(); v += dim)
    for (int i = 0; i < element.num_nodes(); ++i) {
      double distance = 0;
      for (int d = 0; d < dim; ++d)
        distance += std::abs(nodes[v + d] - own[i * dim + d]);
      if (distance < 1e-9) {
        order.push_back(i);
        break;
      }
    }
  require(order.size() * dim == nodes.size(), "every node of a VTK cell is a node of the element");
  return order;
}

} // namespace weft
