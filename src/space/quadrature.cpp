#include "space/quadrature.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "space/facet_map.h"
#include "space/gauss_lobatto.h"
#include "space/quadrature_tables.h"

namespace weft {

namespace {

// A rule on [0, 1].
struct LineRule {
  std::vector<double> points;
  std::vector<double> weights;
  int num_points() const { return static_cast<int>(points.size()); }
};

// Gauss-Jacobi rule of n points on [0, 1] with the weight function (1 - x)^a, exact to degree
// 2n - 1: eigenvalues and vectors of the Jacobi matrix (Golub and Welsch 1969,
// doi:10.1090/S0025-5718-69-99647-1). a = 0 is Gauss-Legendre.
LineRule gauss_jacobi(int n, int a) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (int k = 0; k < n; ++k) {
    const double s = 2 * k + a; // recurrence of the monic Jacobi polynomials P_k^(a,0) on [-1, 1]
    matrix(k, k) = a == 0 ? 0.0 : -double(a) * a / (s * (s + 2));
    if (k > 0)
      matrix(k, k - 1) = matrix(k - 1, k) = 2 * k * (k + a) / (s * std::sqrt((s + 1) * (s - 1)));
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  const double total = 1.0 / (a + 1);
  LineRule rule;
  for (int k = 0; k < n; ++k) {
    rule.points.push_back((1 + solver.eigenvalues()[k]) / 2);
    rule.weights.push_back(total * solver.eigenvectors()(0, k) * solver.eigenvectors()(0, k));
  }
  return rule;
}

int gauss_points(int degree) {
  return std::max(0, degree) / 2 + 1;
}

void add_point(Quadrature &rule, std::initializer_list<double> point, double weight) {
  rule.points.insert(rule.points.end(), point);
  rule.weights.push_back(weight);
}

// All arrangements of an orbit's coordinates under its symmetry.
std::vector<std::vector<double>> images(const QuadratureOrbit &orbit, Symmetry symmetry,
                                        int num_coordinates) {
  std::vector<double> b(orbit.barycentric.begin(), orbit.barycentric.begin() + num_coordinates);
  std::vector<std::vector<double>> result;
  if (symmetry == Symmetry::none)
    return {b};
  if (symmetry == Symmetry::full) {
    std::sort(b.begin(), b.end());
    do
      result.push_back(b);
    while (std::next_permutation(b.begin(), b.end()));
    return result;
  }
  const bool on_axis = b[0] == b[1] && b[1] == b[2];
  for (int turn = 0; turn < (on_axis ? 1 : 3); ++turn) {
    result.push_back(b);
    std::rotate(b.begin(), b.begin() + 1, b.begin() + 3);
  }
  return result;
}

// A tabulated rule of at least the degree; false if the table ends before.
bool tabulated_rule(CellType cell, int degree, Quadrature &rule) {
  const auto &rules = cell == CellType::triangle ? triangle_rules() : tetrahedron_rules();
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const SimplexRule &r) { return r.degree >= degree; });
  if (found == rules.end())
    return false;
  const int dim = dimension(cell);
  for (const auto &orbit : found->orbits)
    for (const auto &b : images(orbit, found->symmetry, dim + 1)) {
      rule.points.insert(rule.points.end(), b.begin() + 1, b.end());
      rule.weights.push_back(orbit.weight * reference_volume(cell));
    }
  return true;
}

// Collapsed coordinates: the triangle is the square with x = s (1 - y), the tetrahedron the cube
// with y = t (1 - z), x = s (1 - y - z) (Stroud's conical product); the powers of (1 - y) and
// (1 - z) in the determinant are the weight functions of the Gauss-Jacobi rules.
void conical_rule(CellType cell, int degree, Quadrature &rule) {
  const int n = gauss_points(degree);
  const LineRule r0 = gauss_jacobi(n, 0), r1 = gauss_jacobi(n, 1), r2 = gauss_jacobi(n, 2);
  if (cell == CellType::triangle) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        add_point(rule, {r0.points[i] * (1 - r1.points[j]), r1.points[j]},
                  r0.weights[i] * r1.weights[j]);
    return;
  }
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const double z = r2.points[k], y = r1.points[j] * (1 - z);
        add_point(rule, {r0.points[i] * (1 - r1.points[j]) * (1 - z), y, z},
                  r0.weights[i] * r1.weights[j] * r2.weights[k]);
      }
}

Quadrature simplex_rule(CellType cell, int degree) {
  Quadrature rule{.dim = dimension(cell)};
  if (!tabulated_rule(cell, degree, rule))
    conical_rule(cell, degree, rule);
  return rule;
}

// Cross-sections of the pyramid are squares of side 1 - z round (1/2, 1/2).
Quadrature pyramid_rule(int degree) {
  const int n = gauss_points(degree);
  const LineRule across = gauss_jacobi(n, 0), up = gauss_jacobi(n, 2);
  Quadrature rule{.dim = 3};
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const double z = up.points[k], side = 1 - z;
        add_point(rule, {z / 2 + side * across.points[i], z / 2 + side * across.points[j], z},
                  across.weights[i] * across.weights[j] * up.weights[k]);
      }
  return rule;
}

LineRule line_rule(int degree, LinePoints points) {
  if (points == LinePoints::gauss)
    return gauss_jacobi(gauss_points(degree), 0);
  GaussLobatto rule = gauss_lobatto(degree / 2 + 1); // of n + 1 points: degree 2n - 1
  return {std::move(rule.points), std::move(rule.weights)};
}

// The product of a rule and a rule in one more direction.
Quadrature product_rule(const Quadrature &base, const LineRule &line) {
  Quadrature rule{.dim = base.dim + 1};
  for (int k = 0; k < line.num_points(); ++k)
    for (int q = 0; q < base.num_points(); ++q) {
      rule.points.insert(rule.points.end(), base.points.begin() + q * base.dim,
                         base.points.begin() + (q + 1) * base.dim);
      rule.points.push_back(line.points[k]);
      rule.weights.push_back(base.weights[q] * line.weights[k]);
    }
  return rule;
}

} // namespace

Quadrature make_quadrature(CellType cell, int degree, LinePoints points) {
  const Quadrature point{.dim = 0, .points = {}, .weights = {1.0}};
  switch (cell) {
  case CellType::point:
    return point;
  case CellType::interval:
    return product_rule(point, line_rule(degree, points));
  case CellType::quadrilateral:
    return product_rule(make_quadrature(CellType::interval, degree, points),
                        line_rule(degree, points));
  case CellType::hexahedron:
    return product_rule(make_quadrature(CellType::quadrilateral, degree, points),
                        line_rule(degree, points));
  case CellType::prism:
    return product_rule(simplex_rule(CellType::triangle, degree),
                        line_rule(degree, LinePoints::gauss));
  case CellType::pyramid:
    return pyramid_rule(degree);
  case CellType::triangle:
  case CellType::tetrahedron:
    return simplex_rule(cell, degree);
  }
  require(false, "every cell type has a quadrature");
  return {};
}

FacetQuadrature make_facet_quadrature(CellType cell, int facet, int degree, LinePoints points) {
  const Quadrature rule = make_quadrature(facet_type(cell, facet), degree, points);
  const FacetMap map = make_facet_map(cell, facet);
  return {{.dim = dimension(cell), .points = map.to_cell(rule.points), .weights = rule.weights},
          map.tangents};
}

FacetQuadrature make_edge_quadrature(CellType cell, int edge, int degree, LinePoints points) {
  const Quadrature rule = make_quadrature(CellType::interval, degree, points);
  const int dim = dimension(cell);
  const auto ends = edge_vertices(cell, edge);
  const double *from = &reference_vertices(cell)[ends[0] * dim];
  const double *to = &reference_vertices(cell)[ends[1] * dim];
  FacetQuadrature result{{.dim = dim, .points = {}, .weights = rule.weights}, {}};
  for (int d = 0; d < dim; ++d)
    result.tangents.push_back(to[d] - from[d]);
  for (const double along : rule.points)
    for (int d = 0; d < dim; ++d)
      result.points.points.push_back(from[d] + along * result.tangents[d]);
  return result;
}

FacetQuadrature make_vertex_quadrature(CellType cell, int vertex) {
  const int dim = dimension(cell);
  const double *at = &reference_vertices(cell)[vertex * dim];
  return {{.dim = dim, .points = {at, at + dim}, .weights = {1.0}}, {}};
}

} // namespace weft
