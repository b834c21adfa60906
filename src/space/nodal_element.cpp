#include "space/nodal_element.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "space/facet_map.h"
#include "space/gauss_lobatto.h"
#include "space/modal_basis.h"
#include "space/quadrature.h"

namespace weft {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Warp-and-blend nodes of a simplex in barycentric coordinates: a form that is the same for every
// numbering of the vertices, so that the nodes have all its symmetries. Lengths are those of
// simplices with sides of length 2, as in the paper.
class WarpAndBlend {
public:
  WarpAndBlend(int order, int dim) : order_(order), num_vertices_(dim + 1) {
    // Blending parameters of tetrahedra, optimised for the Lebesgue constant: Hesthaven and
    // Warburton 2008, doi:10.1007/978-0-387-72067-8, section 10.1.
    constexpr double parameters[highest_nodal_order + 1] = {0,      0,      0,      0,      0.1002,
                                                            1.1332, 1.5608, 1.3413, 1.2577, 1.1603};
    alpha_ = parameters[order];
    const auto line = gauss_lobatto(order).points;
    for (int k = 1; k < order; ++k) {
      const double r = 2.0 * k / order - 1;
      inner_.push_back(r);
      slope_.push_back((2 * line[k] - 1 - r) / (1 - r * r));
    }
  }

  using Barycentric = std::array<double, 4>;

  Barycentric node(const std::array<int, 4> &lattice) const {
    Barycentric at{};
    for (int v = 0; v < num_vertices_; ++v)
      at[v] = static_cast<double>(lattice[v]) / order_;
    Barycentric result = at;
    if (num_vertices_ == 3) {
      warp_face({0, 1, 2}, 1, at, result);
      return result;
    }
    // On a face only its own warp is left of the blends below, which are 0/0 there on its edges.
    for (int a = 0; a < 4; ++a)
      if (lattice[a] == 0) {
        warp_face(face(a), 1, at, result);
        return result;
      }
    for (int a = 0; a < 4; ++a) {
      double blend = 1 + alpha_ * alpha_ * at[a] * at[a];
      for (const int v : face(a))
        blend *= at[v] / (at[v] + at[a] / 2);
      warp_face(face(a), blend, at, result);
    }
    return result;
  }

private:
  static std::array<int, 3> face(int opposite) {
    return {(opposite + 1) % 4, (opposite + 2) % 4, (opposite + 3) % 4};
  }

  // The way from equispaced to Gauss-Lobatto nodes, interpolated, over 1 - r^2.
  double warp_over_bubble(double r) const {
    double sum = 0;
    for (std::size_t k = 0; k < inner_.size(); ++k) {
      double term = slope_[k];
      for (std::size_t j = 0; j < inner_.size(); ++j)
        term *= j == k ? 1 : (r - inner_[j]) / (inner_[k] - inner_[j]);
      sum += term;
    }
    return sum;
  }

  // Adds the warps along the three edges of a face, times a factor.
  void warp_face(const std::array<int, 3> &vertices, double factor, const Barycentric &at,
                 Barycentric &result) const {
    for (int side = 0; side < 3; ++side) {
      const int a = vertices[side], b = vertices[(side + 1) % 3], c = vertices[(side + 2) % 3];
      const double blend = 4 * at[b] * at[c] * (1 + alpha_ * alpha_ * at[a] * at[a]);
      const double way = factor * blend * warp_over_bubble(at[c] - at[b]);
      result[c] += way / 2;
      result[b] -= way / 2;
    }
  }

  int order_, num_vertices_;
  double alpha_;
  std::vector<double> inner_; // equispaced nodes inside [-1, 1]
  std::vector<double> slope_; // way to the Gauss-Lobatto node over 1 - r^2, at each
};

// Ascending, on [0, 1].
std::vector<double> line_nodes(int p, LineNodes nodes) {
  if (nodes == LineNodes::lobatto)
    return gauss_lobatto(p).points;
  std::vector<double> points = make_quadrature(CellType::interval, 2 * p + 1).points;
  std::sort(points.begin(), points.end());
  require(points.size() == static_cast<std::size_t>(p) + 1, "a Gauss rule of p + 1 points");
  return points;
}

// Nodes of a simplex: x fastest.
std::vector<double> simplex_nodes(CellType cell, int p, LineNodes lines) {
  const int dim = dimension(cell);
  if (cell == CellType::pyramid) // of order 0, as if it were a simplex
    return {0.5, 0.5, 0.25};
  if (p == 0)
    return std::vector<double>(dim, 1.0 / (dim + 1));
  if (dim == 1)
    return line_nodes(p, lines);
  const WarpAndBlend nodes(p, dim);
  std::vector<double> result;
  for (int k = 0; k <= (dim == 3 ? p : 0); ++k)
    for (int j = 0; j + k <= p; ++j)
      for (int i = 0; i + j + k <= p; ++i) {
        const auto at = nodes.node({p - i - j - k, i, j, k});
        result.insert(result.end(), at.begin() + 1, at.begin() + 1 + dim);
      }
  return result;
}

// The inverse of the matrix of modes at nodes: [mode, node].
std::vector<double> simplex_coefficients(int dim, int order, const std::vector<double> &nodes) {
  std::vector<double> values, gradients;
  simplex_modes(dim, order, nodes, values, gradients);
  const Eigen::Index n = static_cast<Eigen::Index>(nodes.size()) / dim;
  require(static_cast<Eigen::Index>(values.size()) == n * n,
          "a simplex has as many modes as nodes");
  const RowMatrix inverse = Eigen::Map<RowMatrix>(values.data(), n, n).partialPivLu().inverse();
  return {inverse.data(), inverse.data() + n * n};
}

void tabulate_simplex(const Element &e, std::span<const double> points, std::vector<double> &phi,
                      std::vector<double> &dphi) {
  std::vector<double> values, gradients;
  const int dim = dimension(e.cell);
  simplex_modes(dim, e.order, points, values, gradients);
  const Eigen::Index n = e.num_nodes(), num_points = static_cast<Eigen::Index>(points.size()) / dim;
  const Eigen::Map<const RowMatrix> coefficients(e.basis_coefficients.data(), n, n);
  phi.resize(num_points * n);
  dphi.resize(num_points * n * dim);
  Eigen::Map<RowMatrix>(phi.data(), num_points, n) =
      Eigen::Map<RowMatrix>(values.data(), num_points, n) * coefficients;
  using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  for (int d = 0; d < dim; ++d)
    Eigen::Map<RowMatrix, 0, Stride>(dphi.data() + d, num_points, n, Stride(n * dim, dim)) =
        Eigen::Map<RowMatrix, 0, Stride>(gradients.data() + d, num_points, n,
                                         Stride(n * dim, dim)) *
        coefficients;
}

// Basis functions of a product so far, at one point after the other.
struct ProductBasis {
  int num_nodes = 1;
  std::vector<double> phi;  // [point, node]
  std::vector<double> dphi; // [point, node, dim]: zero along axes of later factors
};

// Multiplies by a factor whose axes start at `first`; its nodes run slower.
ProductBasis times_factor(const ProductBasis &base, int dim, int first, const Element &factor,
                          const std::vector<double> &phi, const std::vector<double> &dphi) {
  const int n = factor.num_nodes(), factor_dim = dimension(factor.cell), inner = base.num_nodes;
  const std::size_t num_points = phi.size() / n;
  ProductBasis result{.num_nodes = inner * n};
  result.phi.resize(num_points * inner * n);
  result.dphi.resize(result.phi.size() * dim, 0.0);
  for (std::size_t q = 0; q < num_points; ++q)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < inner; ++i) {
        const std::size_t from = q * inner + i, with = q * n + j, to = (with * inner) + i;
        result.phi[to] = base.phi[from] * phi[with];
        for (int d = 0; d < first; ++d)
          result.dphi[to * dim + d] = base.dphi[from * dim + d] * phi[with];
        for (int d = 0; d < factor_dim; ++d)
          result.dphi[to * dim + first + d] = base.phi[from] * dphi[with * factor_dim + d];
      }
  return result;
}

} // namespace

std::vector<CellType> simplex_factors(CellType cell) {
  switch (cell) {
  case CellType::prism:
    return {CellType::triangle, CellType::interval};
  case CellType::quadrilateral:
    return {CellType::interval, CellType::interval};
  case CellType::hexahedron:
    return {CellType::interval, CellType::interval, CellType::interval};
  default:
    return {cell};
  }
}

void tabulate_nodal(const Element &element, std::span<const double> points,
                    std::vector<double> &phi, std::vector<double> &dphi) {
  const auto factors = simplex_factors(element.cell);
  if (factors.size() == 1) {
    tabulate_simplex(element, points, phi, dphi);
    return;
  }
  const int dim = dimension(element.cell);
  const std::size_t num_points = points.size() / dim;
  ProductBasis product{.phi = std::vector(num_points, 1.0),
                       .dphi = std::vector(num_points * dim, 0.0)};
  int first = 0;
  for (const CellType type : factors) {
    Element factor = make_nodal_element(type, element.order);
    if (type == CellType::interval)
      factor.basis_coefficients = element.basis_coefficients;
    const int factor_dim = dimension(type);
    std::vector<double> x;
    for (std::size_t q = 0; q < num_points; ++q)
      for (int d = 0; d < factor_dim; ++d)
        x.push_back(points[q * dim + first + d]);
    tabulate_simplex(factor, x, phi, dphi);
    product = times_factor(product, dim, first, factor, phi, dphi);
    first += factor_dim;
  }
  phi = std::move(product.phi);
  dphi = std::move(product.dphi);
}

std::vector<int> nodal_facet_nodes(const Element &element, int facet) {
  const int dim = dimension(element.cell);
  const auto points = make_facet_map(element.cell, facet)
                          .to_cell(make_nodal_element(facet_type(element.cell, facet),
                                                      element.order, LineNodes::lobatto)
                                       .nodes);
  std::vector<int> result;
  for (std::size_t q = 0; q < points.size(); q += dim)
    for (int i = 0; i < element.num_nodes(); ++i) {
      double distance = 0;
      for (int d = 0; d < dim; ++d)
        distance += std::abs(points[q + d] - element.nodes[i * dim + d]);
      if (distance < 1e-9) // nodes of the highest order are 0.04 apart
        result.push_back(i);
    }
  if (result.size() * dim != points.size())
    return {}; // Gauss points lie inside
  return result;
}

Element make_nodal_element(CellType cell, int order) {
  const bool product = simplex_factors(cell).size() > 1;
  return make_nodal_element(cell, order, product ? LineNodes::gauss : LineNodes::lobatto);
}

Element make_nodal_element(CellType cell, int order, LineNodes lines) {
  if ((cell == CellType::pyramid && order != 0) || order < 0 || order > highest_nodal_order)
    throw Error(ErrorKind::unsupported,
                {.what = "a discontinuous element of this order on this cell",
                 .found = "order " + std::to_string(order) + " on a " + to_string(cell),
                 .allowed = "orders 0 to " + std::to_string(highest_nodal_order) +
                            " on triangles, quadrilaterals, tetrahedra, prisms and hexahedra, 0 on "
                            "pyramids",
                 .remedy = cell == CellType::pyramid ? "choose order 0, or a mesh without pyramids"
                                                     : "choose a lower order"});
  Element element{.cell = cell, .order = order, .nodal = true};
  const int dim = dimension(cell);
  std::vector<double> nodes; // of the factors so far, [node, axes so far]
  int axes = 0, count = 1;
  for (const CellType type : simplex_factors(cell)) {
    const std::vector<double> factor = simplex_nodes(type, order, lines);
    const int factor_dim = dimension(type);
    const int n = factor_dim == 0 ? 1 : static_cast<int>(factor.size()) / factor_dim;
    std::vector<double> product;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < count; ++i) {
        product.insert(product.end(), nodes.begin() + i * axes, nodes.begin() + (i + 1) * axes);
        product.insert(product.end(), factor.begin() + j * factor_dim,
                       factor.begin() + (j + 1) * factor_dim);
      }
    nodes = std::move(product);
    axes += factor_dim;
    count *= n;
  }
  element.nodes = std::move(nodes);
  for (int i = 0; i < count; ++i)
    element.entities.push_back({.dim = dim, .within = i});
  if (dim > 0 && simplex_factors(cell).size() == 1)
    element.basis_coefficients = simplex_coefficients(dim, order, element.nodes);
  else if (dim > 0)
    element.basis_coefficients =
        simplex_coefficients(1, order, simplex_nodes(CellType::interval, order, lines));
  return element;
}

} // namespace weft
