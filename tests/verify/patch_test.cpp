// Exactness and order through the whole way: mesh, form, generated kernels, solver.
#include <gtest/gtest.h>

#include "op/evaluate/field_values.h"
#include "solve/nonlinear/newton.h"
#include "support/kernel_case.h"
#include "support/test_device.h"

namespace weft {
namespace {

// A polynomial of degree p and f = -(its Laplacian).
struct Polynomial {
  const char *u, *f;
};
constexpr Polynomial polynomials[] = {{"1 + 2*x - 3*y", "0"},
                                      {"x^2 + x*y - 2*y^2", "2"},
                                      {"x^3 - x*y^2 + y^2", "-(4*x + 2)"},
                                      {"x^4 + x^2*y^2 - y", "-(14*x^2 + 2*y^2)"}};

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
  return cases;
}

class Patch : public testing::TestWithParam<PatchCase> {};

// The interpolant of a polynomial of the element's degree is the discrete solution on distorted
// cells: its residual vanishes.
TEST_P(Patch, PolynomialOfTheElementsDegreeIsASolution) {
  const auto [cell, order] = GetParam();
  const Polynomial &p = polynomials[order - 1];
  const DiscreteProblem problem(box_text(cell, 1, 0.2, "[2, 2, 2]") +
                                poisson_text(cell, order, p.u, p.f));
  Device &device = test_device();
  FormOperator op(device, problem.d, {});
  Vector u = make_vector(device, op.size(), Precision::f64, "u");
  Vector r = make_vector(device, op.size(), Precision::f64, "r");
  set_vector(device, u, initial_state(problem.c, problem.d));
  op.residual(u, r);
  double largest = 0, diagonal = 0;
  for (const double value : get_vector(device, r))
    largest = std::max(largest, std::abs(value));
  for (const double value : reference::diagonal(problem.d, get_vector(device, u)))
    diagonal = std::max(diagonal, std::abs(value));
  EXPECT_LT(largest, 1e-12 * diagonal);
}

INSTANTIATE_TEST_SUITE_P(Elements, Patch, testing::ValuesIn(patch_cases()), [](const auto &info) {
  return info.param.cell + "_P" + std::to_string(info.param.order);
});

double l2_error(Device &device, const std::string &cell, int cells) {
  const std::string count = std::to_string(cells);
  const std::string mesh = "[mesh]\nbox = { cells = [" + count + ", " + count +
                           (is_flat(cell) ? "" : ", " + count) + "], cell = \"" + cell +
                           "\" }\norder = 2\n";
  // Sides become waves, of which cells of order 2 are an approximation.
  const bool flat = is_flat(cell);
  const DiscreteProblem problem(mesh + poisson_text(cell, 2, "exp(x)*sin(y)", "0"),
                                [flat](double *x) {
                                  const double x0 = x[0];
                                  x[0] += 0.1 * std::sin(3 * x[1]);
                                  x[1] += 0.1 * std::sin(3 * x0);
                                  if (!flat)
                                    x[2] += 0.1 * std::sin(3 * x0);
                                });
  FormOperator op(device, problem.d, {});
  Vector u = make_vector(device, op.size(), Precision::f64, "u");
  set_vector(device, u, std::vector<double>(op.size(), 0.0));
  SolverSettings settings;
  settings.tolerance = 1e-12;
  EXPECT_TRUE(solve_nonlinear(op, u, settings).converged);
  return errors(problem.c, problem.d, get_vector(device, u)).front().l2;
}

class CurvedDomain : public testing::TestWithParam<const char *> {};

TEST_P(CurvedDomain, ElementsOfOrderTwoConvergeWithOrderThree) {
  Device &device = test_device();
  const int cells = is_flat(GetParam()) ? 8 : 5;
  const double coarse = l2_error(device, GetParam(), cells);
  const double fine = l2_error(device, GetParam(), 2 * cells);
  EXPECT_GT(std::log2(coarse / fine), 2.8) << coarse << ", " << fine;
}

INSTANTIATE_TEST_SUITE_P(Cells, CurvedDomain, testing::ValuesIn(all_cells),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace weft
