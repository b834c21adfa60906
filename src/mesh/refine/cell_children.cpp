#include "mesh/refine/cell_children.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "mesh/build/second_order.h"
#include "mesh/cell_volume.h"

namespace weft {

namespace {

std::vector<double> make_second_order_coordinates(CellType cell) {
  const int dim = dimension(cell);
  const auto corners = reference_vertices(cell);
  std::vector<double> nodes(corners.begin(), corners.end());
  for (const auto &support : second_order_supports(cell))
    for (int d = 0; d < dim; ++d) {
      double sum = 0;
      for (const int v : support)
        sum += corners[v * dim + d];
      nodes.push_back(sum / static_cast<double>(support.size()));
    }
  return nodes;
}

// The node at a place; reference coordinates are sums of few powers of two, hence exact.
int node_at(CellType cell, const std::vector<double> &x) {
  const std::vector<double> &nodes = second_order_coordinates(cell);
  const std::size_t dim = x.size();
  for (std::size_t node = 0; node < nodes.size() / dim; ++node)
    if (std::equal(x.begin(), x.end(), nodes.begin() + static_cast<std::ptrdiff_t>(node * dim)))
      return static_cast<int>(node);
  require(false, "the vertices of a cell's children are its nodes of order 2");
  return -1;
}

// The child at vertex `v`: the cell at half its size, kept in place there.
CellChild corner_child(CellType cell, int v) {
  const int dim = dimension(cell);
  const auto corners = reference_vertices(cell);
  CellChild child{cell, {}};
  for (int i = 0; i < num_vertices(cell); ++i) {
    std::vector<double> x(dim);
    for (int d = 0; d < dim; ++d)
      x[d] = (corners[v * dim + d] + corners[i * dim + d]) / 2;
    child.vertices.push_back(node_at(cell, x));
  }
  return child;
}

// Mirrored if it lies against the cell's orientation.
CellChild oriented(CellType cell, CellChild child) {
  const int dim = dimension(cell);
  const std::vector<std::int32_t> nodes(child.vertices.begin(), child.vertices.end());
  if (cell_size(child.type, nodes, second_order_coordinates(cell).data(), dim).volume > 0)
    return child;
  CellChild mirrored = child;
  const std::vector<int> permutation = mirror_permutation(child.type, 1);
  for (std::size_t i = 0; i < permutation.size(); ++i)
    mirrored.vertices[i] = child.vertices[permutation[i]];
  return mirrored;
}

// The tetrahedra round a diagonal of the octahedron whose other vertices are a ring.
void add_octahedron(std::vector<CellChild> &children, const std::array<int, 2> &diagonal) {
  constexpr std::array<std::array<int, 4>, 3> rings = {{{4, 5, 9, 7}, {5, 6, 7, 8}, {4, 6, 9, 8}}};
  for (std::size_t i = 0; i < rings.size(); ++i)
    for (int k = 0; octahedron_diagonals[i] == diagonal && k < 4; ++k)
      children.push_back(
          {CellType::tetrahedron, {diagonal[0], diagonal[1], rings[i][k], rings[i][(k + 1) % 4]}});
}

// What is left between the corners. Nodes of order 2: prism 6-8 on the base's edges, 9-11 on the
// top's, 12-14 on the upright ones, 15-17 on the sides; pyramid 5-8 on the base's edges, 9-12 on
// those to the apex, 13 on the base.
void add_inner_children(std::vector<CellChild> &children, CellType cell, int diagonal) {
  switch (cell) {
  case CellType::triangle:
    children.push_back({CellType::triangle, {3, 4, 5}});
    return;
  case CellType::tetrahedron:
    return add_octahedron(children, octahedron_diagonals[diagonal]);
  case CellType::prism:
    children.push_back({CellType::prism, {6, 7, 8, 15, 16, 17}});
    children.push_back({CellType::prism, {15, 16, 17, 9, 10, 11}});
    return;
  case CellType::pyramid:
    children.push_back({CellType::pyramid, {9, 10, 11, 12, 13}});
    for (int side = 0; side < 4; ++side)
      children.push_back({CellType::tetrahedron, {5 + side, 13, 9 + side, 9 + (side + 1) % 4}});
    return;
  default:
    return;
  }
}

std::vector<CellChild> make_children(CellType cell, int diagonal) {
  std::vector<CellChild> children;
  for (int v = 0; v < num_vertices(cell); ++v)
    children.push_back(corner_child(cell, v));
  add_inner_children(children, cell, diagonal);
  if (dimension(cell) >= 2)
    for (CellChild &child : children)
      child = oriented(cell, std::move(child));
  return children;
}

// The Lagrange polynomial of nodes 0, 1/2, 1 that is 1 at `node`.
double line_basis(double node, double x) {
  if (node == 0)
    return (1 - x) * (1 - 2 * x);
  return node == 1 ? x * (2 * x - 1) : 4 * x * (1 - x);
}

// The same on a simplex of dimension n.
double simplex_basis(const double *node, const double *x, int n) {
  double last_node = 1, last = 1, product = 4;
  const auto include = [&](double at, double lambda) {
    if (at == 1)
      product = lambda * (2 * lambda - 1);
    else if (at > 0)
      product *= lambda;
  };
  for (int d = 0; d < n; ++d) {
    last_node -= node[d];
    last -= x[d];
    include(node[d], x[d]);
  }
  include(last_node, last);
  return product;
}

} // namespace

const std::vector<double> &second_order_coordinates(CellType cell) {
  static const auto table = [] {
    std::array<std::vector<double>, 8> all;
    for (int c = 1; c < 8; ++c)
      all[c] = make_second_order_coordinates(static_cast<CellType>(c));
    return all;
  }();
  return table[static_cast<int>(cell)];
}

const std::vector<CellChild> &cell_children(CellType cell, int diagonal) {
  static const auto table = [] {
    std::array<std::array<std::vector<CellChild>, 3>, 8> all;
    for (int c = 1; c < 8; ++c)
      for (int d = 0; d < (c == static_cast<int>(CellType::tetrahedron) ? 3 : 1); ++d)
        all[c][d] = make_children(static_cast<CellType>(c), d);
    return all;
  }();
  return table[static_cast<int>(cell)][diagonal];
}

std::vector<double> second_order_basis(CellType cell, const double *x) {
  require(cell != CellType::pyramid, "a cell with a polynomial basis");
  const int dim = dimension(cell);
  const bool tensor = cell == CellType::quadrilateral || cell == CellType::hexahedron;
  const int simplex = tensor ? 0 : cell == CellType::prism ? 2 : dim;
  const std::vector<double> &nodes = second_order_coordinates(cell);
  std::vector<double> basis(num_geometry_nodes(cell, 2), 1.0);
  for (std::size_t i = 0; i < basis.size(); ++i) {
    const double *node = &nodes[i * dim];
    if (simplex > 0)
      basis[i] = simplex_basis(node, x, simplex);
    for (int d = simplex; d < dim; ++d)
      basis[i] *= line_basis(node[d], x[d]);
  }
  return basis;
}

} // namespace weft
