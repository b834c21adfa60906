// Fields with inequality bounds on the device: what is held, against the reference loops, and
// solutions, by the signs of their residuals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "op/assembly/assembled_operator.h"
#include "op/evaluate/at_bounds.h"
#include "op/evaluate/field_values.h"
#include "op/reference/matrix.h"
#include "solve/nonlinear/newton.h"
#include "support/kernel_case.h"
#include "support/on_ranks.h"
#include "support/test_device.h"

namespace weft {
namespace {

// A scalar with both bounds and a vector whose second component has one, prescribed on a side but
// for discontinuous elements, which a penalty joins; it is not linear, and not symmetric.
std::string bounded_text(const std::string &cell, const std::string &element) {
  const bool discontinuous = element[0] == 'D';
  return "[mesh]\nbox = { distort = 0.2, cell = \"" + cell +
         (is_flat(cell) ? "\", cells = [7, 6] }\n" : "\", cells = [3, 2, 2] }\n") +
         "[fields]\nd = { element = \"" + element + "\", bounds = [\"0.1*x\", 0.3] }\n" +
         "v = { element = \"P1\", shape = \"vector\", bounds = [[-inf, \"-0.01\"" +
         (is_flat(cell) ? "], inf] }\n" : ", -inf], inf] }\n") +
         R"TOML([weak_form]
cells.all = "(1 + d^2)*dot(grad(d), grad(test(d))) + d*test(d) - 60*sin(7*x + 5*y)*test(d) + inner(grad(v), grad(test(v))) + v[0]*test(v)[1] + (6*y - 2*d)*test(v)[1]"
)TOML" +
         (discontinuous ? "interior.all = \"20*jump(d)*jump(test(d))\"\n[dirichlet]\nx0 = { v = "
                        : "[dirichlet]\nx0 = { d = 0.2, v = ") +
         (is_flat(cell) ? "[0, 0] }\n" : "[0, 0, 0] }\n");
}

std::vector<std::int32_t> every_third_free_dof(const Discretisation &d) {
  std::vector<std::int32_t> entries;
  for (std::int32_t i = 0; i < d.num_owned; i += 3)
    if (!std::binary_search(d.constraints.dofs.begin(), d.constraints.dofs.end(), i))
      entries.push_back(i);
  return entries;
}

// The problem with these dofs prescribed.
Discretisation with_prescribed(const Discretisation &d, const std::vector<std::int32_t> &dofs) {
  Discretisation more = d;
  std::vector<std::int32_t> all;
  std::set_union(d.constraints.dofs.begin(), d.constraints.dofs.end(), dofs.begin(), dofs.end(),
                 std::back_inserter(all));
  more.constraints.dofs = all;
  more.constraints.values.assign(all.size(), 0.);
  return more;
}

Vector uploaded_entries(Device &device, const std::vector<double> &values, Precision precision) {
  Vector v = make_vector(device, static_cast<std::int64_t>(values.size()), precision, "test");
  set_vector(device, v, values);
  return v;
}

class HeldDofs : public testing::TestWithParam<std::tuple<const char *, Strategy, Precision>> {};

TEST_P(HeldDofs, AreRowsAndColumnsOfTheIdentity) {
  const auto &[cell, strategy, precision] = GetParam();
  const std::unique_ptr<Device> device = open_test_device();
  // Thread transposition is for one field.
  const std::string one_field = R"TOML([fields]
d = { element = "P1", bounds = [0, inf] }
[weak_form]
cells.all = "(1 + d^2)*dot(grad(d), grad(test(d))) - test(d)"
[dirichlet]
x0 = { d = 0.2 }
)TOML";
  const DiscreteProblem problem(strategy == Strategy::transposed
                                    ? box_text(cell, 1, 0.2, "[3, 2, 2]") + one_field
                                    : bounded_text(cell, "P2"));
  const Discretisation &d = problem.d;
  const std::vector<std::int32_t> held = every_third_free_dof(d);
  const Discretisation reference_problem = with_prescribed(d, held);
  OperatorSettings settings;
  settings.strategy = strategy;
  settings.precision = precision;
  const double tolerance = precision == Precision::f64 ? 1e-12 : 2e-4;
  const std::vector<double> u = wavy(d.num_owned, 0.3), x = wavy(d.num_owned, 1.1);
  const Vector state = uploaded_entries(*device, u, precision);
  const Vector direction = uploaded_entries(*device, x, precision);
  Vector y = make_vector(*device, d.num_owned, precision, "y");
  FormOperator op(*device, d, settings);
  EXPECT_FALSE(op.linear());
  for (const bool holds : {true, false}) {
    op.hold(holds ? held : std::vector<std::int32_t>{});
    const Discretisation &expected = holds ? reference_problem : d;
    op.linearise(state);
    op.apply(direction, y);
    EXPECT_LT(difference(get_vector(*device, y), reference::apply(expected, u, x)), tolerance);
    EXPECT_LT(difference(get_vector(*device, direction), x), tolerance); // as it was
    op.diagonal(y);
    EXPECT_LT(difference(get_vector(*device, y), reference::diagonal(expected, u)), tolerance);
    op.residual(state, y); // does not see what is held
    EXPECT_LT(difference(get_vector(*device, y), reference::residual(d, u)), tolerance);
  }
}

using HeldCase = std::tuple<const char *, Strategy, Precision>;
INSTANTIATE_TEST_SUITE_P(Strategies, HeldDofs,
                         testing::Values(HeldCase{"triangle", Strategy::transposed, Precision::f64},
                                         HeldCase{"triangle", Strategy::cell, Precision::f64},
                                         HeldCase{"triangle", Strategy::block, Precision::f32},
                                         HeldCase{"tetrahedron", Strategy::transposed,
                                                  Precision::f32},
                                         HeldCase{"hexahedron", Strategy::cell, Precision::f32},
                                         HeldCase{"hexahedron", Strategy::block, Precision::f64}));

TEST(HeldDofsOfMatrices, AreRowsAndColumnsOfTheIdentity) {
  const std::unique_ptr<Device> device = open_test_device();
  const DiscreteProblem problem(bounded_text("tetrahedron", "P2"));
  const Discretisation &d = problem.d;
  const std::vector<std::int32_t> held = every_third_free_dof(d);
  const std::vector<double> u = wavy(d.num_owned, 0.3), x = wavy(d.num_owned, 1.1);
  const HostMatrix with = reference::matrix(with_prescribed(d, held), u);
  const HostMatrix without = reference::matrix(d, u);
  for (const MatrixFormat format : {MatrixFormat::csr, MatrixFormat::sell}) {
    AssembledOperator op(*device, d, {}, {.format = format});
    const Vector state = uploaded_entries(*device, u, Precision::f64);
    const Vector direction = uploaded_entries(*device, x, Precision::f64);
    Vector y = make_vector(*device, d.num_owned, Precision::f64, "y");
    for (const bool holds : {true, false}) {
      op.hold(holds ? held : std::vector<std::int32_t>{});
      op.linearise(state);
      EXPECT_LT(difference(op.matrix()->host().values, (holds ? with : without).values), 1e-12);
      op.apply(direction, y);
      const Discretisation expected = holds ? with_prescribed(d, held) : d;
      EXPECT_LT(difference(get_vector(*device, y), reference::apply(expected, u, x)), 1e-12);
      op.diagonal(y);
      EXPECT_LT(difference(get_vector(*device, y), reference::diagonal(expected, u)), 1e-12);
    }
  }
}

// The matrix of a linear form is assembled once, but for what is held.
TEST(HeldDofsOfMatrices, FollowInLinearForms) {
  const std::unique_ptr<Device> device = open_test_device();
  const DiscreteProblem problem(box_text("triangle") + R"TOML([fields]
u = { element = "P1", bounds = [0, 1] }
[weak_form]
cells.all = "dot(grad(u), grad(test(u))) - test(u)"
[dirichlet]
x0 = { u = 0.5 }
)TOML");
  AssembledOperator op(*device, problem.d, {});
  const std::vector<double> u = wavy(problem.d.num_owned, 0.3);
  const Vector state = uploaded_entries(*device, u, Precision::f64);
  for (const std::int32_t dof : every_third_free_dof(problem.d)) {
    const std::vector<std::int32_t> held = {dof};
    op.hold(held);
    op.linearise(state);
    EXPECT_LT(difference(op.matrix()->host().values,
                         reference::matrix(with_prescribed(problem.d, held), u).values),
              1e-12);
  }
}

// How far a state is from a solution of the variational inequality, relative to the residual at
// the start: by the plain loops of the host.
double distance_from_solution(const Discretisation &d, const std::vector<double> &start,
                              const std::vector<double> &u) {
  const auto restricted = [&](const std::vector<double> &state) {
    const std::vector<double> r = reference::residual(d, state);
    double squares = 0;
    for (std::int64_t i = 0; i < d.num_owned; ++i) {
      EXPECT_GE(state[i], d.bounds.lower[i]);
      EXPECT_LE(state[i], d.bounds.upper[i]);
      const bool held = (state[i] == d.bounds.lower[i] && r[i] >= 0) ||
                        (state[i] == d.bounds.upper[i] && r[i] <= 0);
      squares += held ? 0 : r[i] * r[i];
    }
    return std::sqrt(squares);
  };
  return restricted(u) / restricted(start);
}

struct BoundedSolve {
  std::vector<double> start, state;
  SolveReport report;
};

BoundedSolve solve_bounded(const DiscreteProblem &problem, Device &device, bool assembled,
                           SolverSettings settings) {
  std::unique_ptr<FormOperator> op;
  if (assembled)
    op = std::make_unique<AssembledOperator>(device, problem.d, OperatorSettings{});
  else
    op = std::make_unique<FormOperator>(device, problem.d, OperatorSettings{});
  BoundedSolve solve;
  solve.start = initial_state(problem.c, problem.d);
  Vector u = make_vector(device, op->layout(), op->precision(), "state");
  op->set_dofs(solve.start, u);
  for (std::int64_t i = 0; i < problem.d.num_owned; ++i)
    solve.start[i] =
        std::clamp(solve.start[i], problem.d.bounds.lower[i], problem.d.bounds.upper[i]);
  settings.tolerance = 1e-12;
  settings.newton.tolerance = 1e-9;
  settings.newton.check_jacobian = true;
  solve.report = solve_nonlinear(*op, u, settings);
  solve.state = op->dofs(u);
  return solve;
}

TEST(BoundedFields, AreSolvedForByEveryOperator) {
  const std::unique_ptr<Device> device = open_test_device();
  for (const char *element : {"P2", "DG1"}) {
    const DiscreteProblem problem(bounded_text("triangle", element));
    const BoundedSolve free = solve_bounded(problem, *device, false, {});
    EXPECT_TRUE(free.report.converged) << free.report.reason;
    EXPECT_LT(distance_from_solution(problem.d, free.start, free.state), 2e-9);
    const std::vector<FieldAtBounds> counts =
        dofs_at_bounds(problem.c, problem.d, free.state, Precision::f64);
    ASSERT_EQ(counts.size(), 2u);
    EXPECT_GT(counts[0].lower, 0);
    EXPECT_GT(counts[0].upper, 0);
    EXPECT_GT(counts[1].lower, 0);
    EXPECT_EQ(counts[1].upper, 0);
    for (const PrecondKind kind : {PrecondKind::jacobi, PrecondKind::direct, PrecondKind::ilu}) {
      const BoundedSolve matrix = solve_bounded(problem, *device, true, {.preconditioner = kind});
      EXPECT_TRUE(matrix.report.converged) << matrix.report.reason;
      EXPECT_LT(difference(matrix.state, free.state), 1e-7);
    }
  }
}

} // namespace
} // namespace weft
