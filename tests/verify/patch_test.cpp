// Exactness and order through the whole way: mesh, form, generated kernels, solver.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "op/evaluate/field_values.h"
#include "solve/nonlinear/newton.h"
#include "support/kernel_case.h"
#include "support/mixed_mesh.h"
#include "support/mixed_mesh_3d.h"
#include "support/test_device.h"

namespace weft {
namespace {

// A polynomial of degree p and f = -(its Laplacian).
struct Polynomial {
  std::string u, f;
};
Polynomial polynomial_of(int degree) {
  if (degree < 3)
    return degree == 1 ? Polynomial{"1 + 2*x - 3*y", "0"} : Polynomial{"x^2 + x*y - 2*y^2", "2"};
  const int n = degree - 1;
  return {fmt::format("x^{} - x*y^{} + y^2", degree, n),
          fmt::format("-({}*x^{} - {}*x*y^{} + 2)", degree * n, degree - 2, n * (n - 1), n - 2)};
}

std::string poisson_text(const std::string &cell, int order, const std::string &u,
                         const std::string &f) {
  std::string text = "[fields]\nu = { element = \"P" + std::to_string(order) +
                     "\" }\n[weak_form]\ncells.all = \"inner(grad(u), grad(test(u))) - (" + f +
                     ")*test(u)\"\n[initial]\nu = \"" + u + "\"\n[exact]\nu = \"" + u +
                     "\"\n[dirichlet]\n";
  for (const char *side : {"x0", "x1", "y0", "y1", "z0", "z1"})
    if (side[0] != 'z' || !is_flat(cell))
      text += std::string(side) + " = { u = \"" + u + "\" }\n";
  return text;
}

struct PatchCase {
  std::string cell;
  int order;
};
std::vector<PatchCase> patch_cases() {
  std::vector<PatchCase> cases;
  for (const char *cell : all_cells)
    for (int order = 1; order <= highest_order(cell); ++order)
      cases.push_back({cell, order});
  for (const char *cell : {"quadrilateral", "hexahedron"})
    for (int order = highest_order(cell) + 1; order <= 8; ++order)
      cases.push_back({cell, order});
  // Prisms of order 6 take long to compile; `weft verify` has them.
  for (const int order : {5, 6})
    cases.push_back({"triangle", order});
  return cases;
}

// The interpolant of a polynomial of the element's degree is the discrete solution on distorted
// cells: its residual vanishes.
void expect_solution(const DiscreteProblem &problem) {
  Device &device = test_device();
  FormOperator op(device, problem.d, {});
  Vector u = make_vector(device, op.size(), Precision::f64, "u");
  Vector r = make_vector(device, op.size(), Precision::f64, "r");
  set_vector(device, u, initial_state(problem.c, problem.d));
  op.residual(u, r);
  double largest = 0, diagonal = 0;
  for (const double value : get_vector(device, r))
    largest = std::max(largest, std::abs(value));
  op.linearise(u);
  op.diagonal(r);
  for (const double value : get_vector(device, r))
    diagonal = std::max(diagonal, std::abs(value));
  EXPECT_LT(largest, 1e-12 * diagonal);
}

class Patch : public testing::TestWithParam<PatchCase> {};

TEST_P(Patch, PolynomialOfTheElementsDegreeIsASolution) {
  const auto [cell, order] = GetParam();
  const Polynomial p = polynomial_of(order);
  expect_solution(
      DiscreteProblem(box_text(cell, 1, 0.2, "[2, 2, 2]") + poisson_text(cell, order, p.u, p.f)));
}

// Cells of several types have the same nodes on a side that they share: triangles beside
// quadrilaterals; hexahedra, prisms and tetrahedra.
void expect_shared_nodes(const std::string &mesh_text, int order) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mesh_text);
  const Polynomial p = polynomial_of(order);
  const std::string text = poisson_text("triangle", order, p.u, p.f);
  expect_solution(DiscreteProblem("[mesh]\nfile = \"" + file + "\"\n" +
                                  text.substr(0, text.find("[dirichlet]")) +
                                  "[dirichlet]\nboundary = { u = \"" + p.u + "\" }\n"));
}

TEST(PatchOfMixedCells, NodesAreShared) {
  for (const int order : {3, 6})
    expect_shared_nodes(mixed_mesh_text(5), order);
  for (const int order : {3, 4})
    expect_shared_nodes(mixed_mesh_3d_text(2), order);
}

std::string name_of(const testing::TestParamInfo<PatchCase> &info) {
  return info.param.cell + "_P" + std::to_string(info.param.order);
}
INSTANTIATE_TEST_SUITE_P(Elements, Patch, testing::ValuesIn(patch_cases()), name_of);

double l2_error(Device &device, const PatchCase &c, int cells) {
  const std::string count = std::to_string(cells);
  const bool flat = is_flat(c.cell);
  const std::string mesh = "[mesh]\nbox = { cells = [" + count + ", " + count +
                           (flat ? "" : ", " + count) + "], cell = \"" + c.cell +
                           "\" }\norder = 2\n";
  // High orders need a solution that they do not have to the last digit.
  const std::string u = c.order == 2 ? "exp(x)*sin(y)" : "exp(4*x)*sin(4*y)";
  // Sides become waves, of which cells of order 2 are an approximation.
  const DiscreteProblem problem(mesh + poisson_text(c.cell, c.order, u, "0"), [flat](double *x) {
    const double x0 = x[0];
    x[0] += 0.1 * std::sin(3 * x[1]);
    x[1] += 0.1 * std::sin(3 * x0);
    if (!flat)
      x[2] += 0.1 * std::sin(3 * x0);
  });
  FormOperator op(device, problem.d, {});
  Vector x = make_vector(device, op.size(), Precision::f64, "u");
  set_vector(device, x, std::vector<double>(op.size(), 0.0));
  SolverSettings settings;
  settings.tolerance = 1e-12;
  EXPECT_TRUE(solve_nonlinear(op, x, settings).converged);
  return errors(problem.c, problem.d, get_vector(device, x)).front().l2;
}

std::vector<PatchCase> curved_cases() {
  std::vector<PatchCase> cases;
  for (const char *cell : all_cells)
    cases.push_back({cell, 2});
  for (const int order : {5, 6, 7, 8})
    cases.push_back({"quadrilateral", order});
  for (const int order : {5, 8})
    cases.push_back({"hexahedron", order});
  return cases;
}

class CurvedDomain : public testing::TestWithParam<PatchCase> {};

// High orders on few cells have not reached their order altogether.
TEST_P(CurvedDomain, ElementsOfOrderPConvergeWithOrderPPlusOne) {
  Device &device = test_device();
  const PatchCase c = GetParam();
  const bool high = c.order > 2;
  const int cells = high ? 2 : (is_flat(c.cell) ? 8 : 5);
  const double coarse = l2_error(device, c, cells), fine = l2_error(device, c, 2 * cells);
  EXPECT_GT(std::log2(coarse / fine), c.order + (high ? 0.5 : 0.8)) << coarse << ", " << fine;
}

INSTANTIATE_TEST_SUITE_P(Cells, CurvedDomain, testing::ValuesIn(curved_cases()), name_of);

} // namespace
} // namespace weft
