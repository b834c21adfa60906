#include "bench/integration/integration_problem.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "mesh/make/make_mesh.h"
#include "op/set_up/make_discretisation.h"
#include "space/quadrature.h"

namespace weft {

namespace {

// Exact to degree 2: 4 points in a tetrahedron, 3 x 2 in a prism.
constexpr int quadrature_degree = 2;

SourceText text(const std::string &value, const std::string &key) {
  return {.text = value, .file = "weft bench", .line = 0, .key = key};
}

void add_auxiliary(Case &c, const FieldSpec &field, const std::string &value) {
  c.form.auxiliary.push_back(field);
  c.auxiliary_values.push_back({.name = field.name, .value = text(value, field.name)});
}

// Adds what is known in a cell; returns the integrand.
std::string add_coefficients(Case &c, const std::string &form, int num_points) {
  if (form == "poisson") {
    add_auxiliary(c, {.name = "f", .shape = {num_points}, .order = 0},
                  num_points == 4 ? "[1 + x, y, -1, z]" : "[1 + x, y, -1, z, 2 - y, x*z]");
    return fmt::format("inner(grad(u), grad(test(u))) - (f[0] + f[1]*x + f[2]*y + f[3]*z{})*"
                       "test(u)",
                       num_points == 4 ? "" : " + (f[4]*x + f[5]*y)*z");
  }
  // Rows of the 4 x 4 matrix (the derivatives of v, then v), then the vector.
  add_auxiliary(c, {.name = "k", .shape = {20}, .order = 0},
                "[2 + x, 0.1*y, 0.2, z, 0.3*z, 3 + y, 0.1*x, 1, 0.2, 0.4*x, 4 + z, x,"
                " y, -x, 1, 0.5 + x, x, 2*y, -z, 1 + x*y]");
  std::string integrand;
  const auto term = [](int row, int first) {
    const std::string v = row < 3 ? fmt::format("grad(test(u))[{}]", row) : "test(u)";
    std::string sum;
    for (int j = 0; j < 3; ++j)
      sum += fmt::format("k[{}]*grad(u)[{}] + ", first + j, j);
    return fmt::format("({}k[{}]*u - k[{}])*{}", sum, first + 3, 16 + row, v);
  };
  for (int row = 0; row < 4; ++row)
    integrand += (row > 0 ? " + " : "") + term(row, 4 * row);
  return integrand;
}

std::size_t place_of(const IntegrationProblem &problem) {
  return (problem.form == "poisson" ? 0 : 2) + (problem.cell == CellType::prism ? 1 : 0);
}

} // namespace

const std::array<IntegrationProblem, 4> &integration_problems() {
  static const std::array<IntegrationProblem, 4> problems = {{{"poisson", CellType::tetrahedron},
                                                              {"poisson", CellType::prism},
                                                              {"conv_diff", CellType::tetrahedron},
                                                              {"conv_diff", CellType::prism}}};
  return problems;
}

IntegrationSizes paper_sizes(const IntegrationProblem &problem) {
  const int shapes = problem.num_shapes(), points = problem.num_points();
  const bool linear_geometry = problem.cell == CellType::tetrahedron,
             poisson = place_of(problem) < 2;
  constexpr int matrix_and_vector_coefficients = 20;
  IntegrationSizes s;
  s.reference = 4 * points; // place and weight
  s.geometry = 3 * shapes;
  s.coefficients = poisson ? points : matrix_and_vector_coefficients;
  s.matrix = shapes * shapes;
  s.vector = shapes;
  s.point_coefficients = poisson ? 1 : matrix_and_vector_coefficients;
  s.point_shapes = 4 * shapes;
  s.point_total = s.point_coefficients + s.point_shapes + s.matrix + s.vector;
  s.all_coefficients = s.coefficients;
  // Derivatives are constant where the geometry is linear.
  s.all_shapes = shapes * points + 3 * shapes * (linear_geometry ? 1 : points);
  s.all_total = s.all_coefficients + s.all_shapes + s.matrix + s.vector;
  s.ssq_coefficients = s.coefficients;
  s.ssq_shapes = 2 * 4; // of the row's and the column's function
  s.ssq_total = s.ssq_coefficients + s.ssq_shapes + 2;
  return s;
}

int paper_accesses(const IntegrationProblem &problem) {
  const IntegrationSizes s = paper_sizes(problem);
  return s.geometry + s.coefficients + s.matrix + s.vector;
}

int paper_operations(const IntegrationProblem &problem, LoopOrder order) {
  constexpr int table4[3][4] = {
      {290, 2700, 986, 4806}, {290, 10416, 986, 12492}, {290, 54876, 1623, 65232}};
  const auto row = std::find(paper_loop_orders.begin(), paper_loop_orders.end(), order);
  require(row != paper_loop_orders.end(), "a loop order that the paper has");
  return table4[row - paper_loop_orders.begin()][place_of(problem)];
}

int paper_shared_accesses(const IntegrationProblem &problem, LocalArray array) {
  constexpr int table4[4][4] = {
      {12, 108, 12, 108}, {4, 6, 80, 120}, {60, 210, 60, 210}, {180, 546, 180, 546}};
  const auto row = std::find(shared_arrays.begin(), shared_arrays.end(), array);
  require(row != shared_arrays.end(), "an array that the paper puts into shared memory");
  return table4[row - shared_arrays.begin()][place_of(problem)];
}

double limiting_intensity(double gflops, double gbps) {
  return gflops / (gbps / 8);
}

Mesh integration_mesh(CellType cell, double num_cells) {
  const double cells_a_cube = cell == CellType::tetrahedron ? 6 : cell == CellType::prism ? 2 : 1;
  const int edges = std::max(1, static_cast<int>(std::lround(std::cbrt(num_cells / cells_a_cube))));
  MeshSpec spec;
  spec.box =
      BoxSpec{.dim = 3, .cells = {edges, edges, edges}, .cell = to_string(cell), .distort = 0.2};
  Timings timings;
  return make_mesh(spec, timings);
}

Discretisation integration_discretisation(const IntegrationProblem &problem, const Mesh &mesh) {
  Case c;
  c.file = problem.form;
  c.form.dim = 3;
  c.form.fields = {{.name = "u", .shape = {}, .order = 1}};
  const std::string integrand = add_coefficients(c, problem.form, problem.num_points());
  c.form.integrals = {{.domain = Domain::cells, .integrand = text(integrand, "cells.all")}};
  return make_discretisation(c, mesh, quadrature_degree);
}

} // namespace weft
