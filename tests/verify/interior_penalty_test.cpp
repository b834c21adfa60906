// Penalties on facets between two cells through the whole way: polynomials that are solutions,
// orders of convergence, exact jumps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "op/evaluate/field_values.h"
#include "solve/nonlinear/newton.h"
#include "support/joint_mesh.h"
#include "support/kernel_case.h"
#include "support/mixed_mesh.h"
#include "support/mixed_mesh_3d.h"
#include "support/test_device.h"

namespace weft {
namespace {

// -laplace(u) = f by the symmetric interior penalty method, with u prescribed on the boundary.
std::string penalty_form(int order, const std::string &u, const std::string &f) {
  return fmt::format(R"TOML([fields]
u = {{ element = "DG{0}" }}
[parameters]
penalty = {3}
[definitions]
g = "{1}"
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - ({2})*test(u)"
interior.all = "-dot(avg(grad(u)), n)*jump(test(u)) - jump(u)*dot(avg(grad(test(u))), n) + penalty/avg(cell_size)*jump(u)*jump(test(u))"
facets.all = "-dot(grad(u), n)*test(u) - (u - g)*dot(grad(test(u)), n) + 2*penalty/cell_size*(u - g)*test(u)"
[initial]
u = "{1}"
[exact]
u = "{1}"
)TOML",
                     order, u, f, 4.0 * (order + 1) * (order + 2));
}

// The residual vanishes at the interpolant of a polynomial that the elements hold.
void expect_solution(const std::string &mesh, int order) {
  SCOPED_TRACE(mesh + " DG" + std::to_string(order));
  const std::string l = "(1 + x - 2*y)"; // |grad l|^2 = 5
  const std::string u = fmt::format("{}^{}", l, order);
  const std::string f =
      order < 2 ? "0" : fmt::format("-{}*{}^{}", 5 * order * (order - 1), l, order - 2);
  const DiscreteProblem problem(mesh + penalty_form(order, u, f));
  Device &device = test_device();
  FormOperator op(device, problem.d, {});
  Vector x = make_vector(device, op.size(), Precision::f64, "u");
  Vector r = make_vector(device, op.size(), Precision::f64, "r");
  set_vector(device, x, initial_state(problem.c, problem.d));
  const auto largest = [&] {
    double largest = 0;
    for (const double value : get_vector(device, r))
      largest = std::max(largest, std::abs(value));
    return largest;
  };
  op.residual(x, r);
  const double residual = largest();
  op.linearise(x);
  op.diagonal(r);
  EXPECT_LT(residual, 1e-12 * largest());
}

TEST(InteriorPenalty, PolynomialsOfTheElementsDegreeAreSolutions) {
  for (const int order : {1, 2, 3})
    expect_solution(box_text("triangle"), order);
  expect_solution(box_text("tetrahedron"), 2);
  expect_solution(box_text("prism"), 1);
  expect_solution(box_text("quadrilateral", 1, 0), 2);
  expect_solution(box_text("hexahedron", 1, 0), 1);
}

TEST(InteriorPenalty, OnCellsOfSeveralTypes) {
  const CaseFolder folder;
  for (const std::string &mesh : {mixed_mesh_text(5), mixed_mesh_3d_text(2)})
    expect_solution("[mesh]\nfile = \"" + folder.write("mixed.msh", mesh) + "\"\n", 1);
}

// The error in L2 of the solution.
double l2_error(const DiscreteProblem &problem) {
  Device &device = test_device();
  FormOperator op(device, problem.d, {});
  Vector x = make_vector(device, op.size(), Precision::f64, "u");
  set_vector(device, x, std::vector<double>(op.size(), 0.0));
  SolverSettings settings;
  settings.tolerance = 1e-13;
  EXPECT_TRUE(solve_nonlinear(op, x, settings).converged);
  return errors(problem.c, problem.d, get_vector(device, x)).front().l2;
}

// On a box of n cells along an edge.
double l2_error(const std::string &cell, int n, const std::string &form) {
  const std::string count = std::to_string(n);
  return l2_error(DiscreteProblem("[mesh]\nbox = { cells = [" + count + ", " + count +
                                  (is_flat(cell) ? "" : ", " + count) + "], cell = \"" + cell +
                                  "\" }\n" + form));
}

TEST(InteriorPenalty, ConvergesWithOrderPPlusOneInThreeDimensions) {
  for (const char *cell : {"tetrahedron", "hexahedron"})
    for (const int order : {1, 2}) {
      const std::string form = penalty_form(order, "cos(2*x + y)*exp(z)", "4*cos(2*x + y)*exp(z)");
      const double coarse = l2_error(cell, 2, form), fine = l2_error(cell, 4, form);
      EXPECT_GT(std::log2(coarse / fine), order + 0.7) << cell << " " << order;
    }
}

// Convection without diffusion, stabilised by a penalty on jumps of gradients (Burman, Hansbo
// 2004): of order p + 1/2 at least.
TEST(ContinuousInteriorPenalty, ConvectionConvergesWithOrderPPlusOneHalf) {
  for (const int order : {1, 2}) {
    const std::string form = fmt::format(R"TOML([fields]
u = {{ element = "P{}" }}
[parameters]
b = [1, 0.5]
[definitions]
g = "sin(2*x - 3*y)"
[weak_form]
cells.all = "dot(b, grad(u) - grad(g))*test(u)"
facets.all = "max(0, -dot(b, n))*(u - g)*test(u)"
interior.all = "0.02*abs(dot(b, n))*avg(cell_size)^2*dot(jump(grad(u)), n)*dot(jump(grad(test(u))), n)"
[exact]
u = "sin(2*x - 3*y)"
)TOML",
                                         order);
    const double coarse = l2_error("triangle", 8, form), fine = l2_error("triangle", 16, form);
    EXPECT_GT(std::log2(coarse / fine), order + 0.4) << order;
  }
}

// A contact between two regions, resistances in series: of either side 1/k, of the contact 1/h.
TEST(InteriorGroups, AContactHasItsJump) {
  const CaseFolder folder;
  const std::string file = folder.write("joint.msh", joint_mesh_text());
  const DiscreteProblem problem("[mesh]\nfile = \"" + file + "\"\n" + R"TOML([fields]
u = { element = "DG1" }
[parameters]
k = { left = 2.0, right = 5.0 }
side = { left = 0, right = 1 }
h = { joint = 0.8 }
flow = "7/(1/2 + 1/0.8 + 1/5)"
[definitions]
inside = "where(minus(side) == plus(side), 1, 0)"
end = "where(abs(n[0]) > 0.5, 1, 0)"
g = "where(x < 1, 7, 0)"
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u)))"
interior.all = "inside*(-dot(avg(k*grad(u)), n)*jump(test(u)) - jump(u)*dot(avg(k*grad(test(u))), n) + 20*avg(k)/avg(cell_size)*jump(u)*jump(test(u)))"
interior.joint = "h*jump(u)*jump(test(u))"
facets.all = "end*k*(-dot(grad(u), n)*test(u) - (u - g)*dot(grad(test(u)), n) + 40/cell_size*(u - g)*test(u))"
[exact]
u = "where(x < 1, 7 - flow*x/2, flow*(2 - x)/5)"
)TOML");
  EXPECT_LT(l2_error(problem), 1e-10);
}

} // namespace
} // namespace weft
