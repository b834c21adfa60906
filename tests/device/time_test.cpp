// Operators of forms with dt() and t as the time goes on.
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "op/set_up/make_discretisation.h"
#include "support/kernel_case.h"

namespace weft {
namespace {

const std::string transient = box_text("triangle", 1, 0.2) + form_text("transient", "P2", true);

std::vector<double> combined(const std::vector<double> &u, double h, const std::vector<double> &x) {
  std::vector<double> result = u;
  for (std::size_t i = 0; i < u.size(); ++i)
    result[i] += h * x[i];
  return result;
}

// J x = F_u x + shift F_dt(u) x + ... is the derivative of what residual() gives as u changes.
TEST(TimeDerivatives, JacobianAgreesWithDifferences) {
  const DiscreteProblem problem(transient);
  const std::vector<double> u = wavy(problem.d.num_owned, 0.3), offset = wavy(u.size(), 2.6);
  const std::vector<double> second_offset = wavy(u.size(), 3.7), x = wavy(u.size(), 1.1);
  const Rate rate = tested_rate(offset, second_offset);
  std::vector<double> free = x;
  for (const std::int32_t dof : problem.d.constraints.dofs)
    free[dof] = 0;
  const std::vector<double> exact = reference::apply(problem.d, u, free, rate);
  double best = 1;
  for (double h = 1e-3; h > 1e-7; h /= 10) {
    std::vector<double> quotient = reference::residual(problem.d, combined(u, h, free), rate);
    const std::vector<double> below = reference::residual(problem.d, combined(u, -h, free), rate);
    for (std::size_t i = 0; i < u.size(); ++i)
      quotient[i] = (quotient[i] - below[i]) / (2 * h);
    best = std::min(best, difference(quotient, exact));
  }
  EXPECT_LT(best, 1e-8);
}

// A mass matrix by hand: int of dt(u) test(u) with dt(u) = 3 sums up to 3 times the area.
TEST(TimeDerivatives, StandForShiftTimesStatePlusOffset) {
  const DiscreteProblem problem(box_text("triangle") +
                                "[time]\nend = 1\nstep = 1\n[fields]\nu = { element = \"P2\" }\n"
                                "[weak_form]\ncells.all = \"dt(u)*test(u)\"\n");
  const auto device = open_host_device();
  FormOperator op(*device, problem.d, {});
  const auto filled = [&](double value) {
    Vector v = make_vector(*device, op.size(), op.precision(), "v");
    set_vector(*device, v, std::vector<double>(op.size(), value));
    return v;
  };
  const auto sum_of = [&](const Vector &v) {
    double sum = 0;
    for (const double value : get_vector(*device, v))
      sum += value;
    return sum;
  };
  const Vector u = filled(0.5);
  Vector r = filled(0);
  op.residual(u, r);
  EXPECT_NEAR(sum_of(r), 0, 1e-14); // before set_rate()
  op.set_rate(filled(2), 2);
  op.residual(u, r);
  EXPECT_NEAR(sum_of(r), 3, 1e-13);
  op.linearise(u);
  op.apply(filled(1), r);
  EXPECT_NEAR(sum_of(r), 2, 1e-13);
  EXPECT_TRUE(op.linear());
  EXPECT_TRUE(op.symmetric());
}

// Kernels follow the time as the discretisation does: in t itself, in auxiliary fields by node and
// by cell, and in prescribed values.
TEST(TimeDerivatives, OperatorsFollowTheTime) {
  DiscreteProblem problem(transient);
  const auto device = open_host_device();
  FormOperator op(*device, problem.d, {});
  const std::vector<double> before = result_of(*device, op, IntegralKind::residual);
  EXPECT_LT(difference(before, reference_of(problem.d, IntegralKind::residual)), 1e-12);
  set_time(problem.c, problem.d, 0.9);
  op.set_time(0.9);
  const std::vector<double> after = result_of(*device, op, IntegralKind::residual);
  EXPECT_LT(difference(after, reference_of(problem.d, IntegralKind::residual)), 1e-12);
  EXPECT_GT(difference(after, before), 1e-3);
  for (std::size_t i = 0; i < problem.d.constraints.dofs.size(); ++i) {
    EXPECT_GE(problem.d.constraints.values[i], 1);
    EXPECT_LE(problem.d.constraints.values[i], 1.9);
  }
  EXPECT_DOUBLE_EQ(problem.d.auxiliary[0].values[0],
                   1 + 0.9 * problem.d.maps[problem.d.auxiliary[0].map].coordinates[0]);
}

TEST(TimeDerivatives, PrescribedValuesAreThoseOfAState) {
  const DiscreteProblem problem(transient);
  const auto device = open_host_device();
  FormOperator op(*device, problem.d, {});
  Vector u = make_vector(*device, op.size(), op.precision(), "u");
  Vector v = make_vector(*device, op.size(), op.precision(), "v");
  set_vector(*device, u, wavy(op.size(), 0));
  set_vector(*device, v, std::vector<double>(op.size(), 7));
  op.prescribe(u);
  op.set_constrained(v);
  const std::vector<double> from = get_vector(*device, u), to = get_vector(*device, v);
  std::size_t prescribed = 0;
  for (std::size_t i = 0; i < to.size(); ++i)
    prescribed += to[i] == from[i] ? 1 : 0;
  EXPECT_EQ(prescribed, problem.d.constraints.dofs.size());
}

} // namespace
} // namespace weft
