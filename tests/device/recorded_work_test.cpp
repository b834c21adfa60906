// Iterations that a device records once and replays: the same bits as without, whatever the method
// and the preconditioner, in kernels as GPUs get them.
#include <gtest/gtest.h>

#include "device/opencl/opencl_device.h"
#include "device/repeated_work.h"
#include "op/assembly/assembled_operator.h"
#include "solve/linear/linear.h"
#include "solve/precondition/precond_multigrid.h"
#include "support/discrete_problem.h"
#include "support/matrix_case.h"
#include "support/recording_device.h"

namespace weft {
namespace {

using test::RecordingDevice;

std::unique_ptr<RecordingDevice> open_recording_device() {
  return std::make_unique<RecordingDevice>(open_opencl_device(0, true));
}

class RecordedSolves : public testing::Test {
protected:
  struct Solved {
    std::vector<double> x;
    SolveReport report;
    int recorded = 0, replayed = 0, launched = 0;
  };

  // Twice the same system, one after the other.
  static Solved solve(const DiscreteProblem &p, const SolverSettings &settings, bool matrix,
                      bool record) {
    const auto device = open_recording_device();
    device->may_record = record;
    std::unique_ptr<FormOperator> op;
    if (matrix)
      op = std::make_unique<AssembledOperator>(*device, p.d, OperatorSettings{});
    else
      op = std::make_unique<FormOperator>(*device, p.d, OperatorSettings{});
    const auto vector = [&](const char *purpose) {
      return make_vector(*device, op->size(), op->precision(), purpose);
    };
    Vector u = vector("u"), b = vector("b"), x = vector("x");
    set_vector(*device, u, std::vector<double>(op->size(), 0.0));
    op->linearise(u);
    set_vector(*device, b, wavy(op->size(), 0.3));
    op->set_constrained(b);
    Solved solved;
    for (int time = 0; time < 2; ++time) {
      set_vector(*device, x, std::vector<double>(op->size(), 0.0));
      device->num_launched = 0;
      solved.report = solve_linear(*op, b, x, settings);
    }
    solved.x = get_vector(*device, x);
    solved.recorded = device->num_recorded;
    solved.replayed = device->num_replayed;
    solved.launched = device->num_launched;
    return solved;
  }

  static void expect_same(const DiscreteProblem &p, const SolverSettings &settings, bool matrix) {
    const Solved plain = solve(p, settings, matrix, false);
    const Solved recorded = solve(p, settings, matrix, true);
    EXPECT_EQ(plain.replayed, 0);
    EXPECT_EQ(plain.report.status, SolveStatus::converged);
    EXPECT_EQ(recorded.report.iterations, plain.report.iterations);
    ASSERT_GT(plain.report.iterations, 5);
    EXPECT_GE(recorded.recorded, 1);
    EXPECT_GE(recorded.replayed, recorded.report.iterations - 3);
    EXPECT_LT(recorded.launched, 2 * plain.launched / 3);
    EXPECT_EQ(recorded.x, plain.x);
  }

  static inline const char *const symmetric =
      "[mesh]\nbox = { cells = [7, 7, 6], cell = \"tetrahedron\", distort = 0.2 }\n"
      "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
      "cells.all = \"(1 + x)*inner(grad(u), grad(test(u))) - test(u)\"\n[dirichlet]\n"
      "x0 = { u = 0 }\n";
  static inline const char *const not_symmetric =
      "[mesh]\nbox = { cells = [20, 20], cell = \"triangle\", distort = 0.2 }\n"
      "[fields]\nu = { element = \"P2\" }\n[weak_form]\n"
      "cells.all = \"inner(grad(u), grad(test(u))) + 5*dot([1, y], grad(u))*test(u) - "
      "test(u)\"\n[dirichlet]\nx0 = { u = 0 }\n";
};

TEST_F(RecordedSolves, OfConjugateGradients) {
  const DiscreteProblem p(symmetric);
  SolverSettings settings;
  settings.method = KrylovKind::cg;
  settings.tolerance = 1e-8;
  for (const PrecondKind kind : {PrecondKind::none, PrecondKind::jacobi, PrecondKind::chebyshev})
    for (const bool matrix : {false, true}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(kind)) +
                   (matrix ? ", assembled" : ", matrix-free"));
      settings.preconditioner = kind;
      expect_same(p, settings, matrix);
    }
}

TEST_F(RecordedSolves, WithMultigrid) {
  const DiscreteProblem p(symmetric);
  SolverSettings settings;
  settings.method = KrylovKind::cg;
  settings.preconditioner = PrecondKind::multigrid;
  settings.multigrid.coarsest_size = 30;
  for (const MultigridCycle cycle : {MultigridCycle::v, MultigridCycle::w, MultigridCycle::k}) {
    SCOPED_TRACE(static_cast<int>(cycle));
    settings.multigrid.cycle = cycle;
    expect_same(p, settings, true);
  }
}

TEST_F(RecordedSolves, OfMethodsThatAreNotSymmetric) {
  const DiscreteProblem p(not_symmetric);
  SolverSettings settings;
  settings.tolerance = 1e-8;
  settings.method = KrylovKind::bicgstab;
  expect_same(p, settings, false);
  settings.method = KrylovKind::gmres; // of which the cycles of multigrid alone are the same
  settings.preconditioner = PrecondKind::multigrid;
  settings.multigrid.coarsest_size = 30;
  expect_same(p, settings, true);
}

TEST_F(RecordedSolves, OfDefectCorrection) {
  const DiscreteProblem p(symmetric);
  SolverSettings settings;
  settings.method = KrylovKind::defect_correction;
  settings.preconditioner = PrecondKind::multigrid;
  settings.multigrid.coarsest_size = 30;
  expect_same(p, settings, true);
}

// A set-up that is kept for another state of the operator is recorded anew.
TEST_F(RecordedSolves, EndWithTheStateOfTheOperator) {
  const DiscreteProblem p(symmetric);
  const auto device = open_recording_device();
  AssembledOperator op(*device, p.d, {});
  VectorKernels kernels(*device, op.precision(), op.size(), 2, {});
  Vector u = kernels.vector("u"), r = kernels.vector("r"), z = kernels.vector("z"), scratch = r;
  set_vector(*device, u, std::vector<double>(op.size(), 0.0));
  set_vector(*device, r, wavy(op.size(), 0.3));
  op.linearise(u);
  MultigridSettings settings;
  settings.coarsest_size = 30;
  PrecondMultigrid precond(kernels, aggregation_multigrid(settings, {}), true);
  for (int solve = 1; solve <= 2; ++solve) {
    precond.update(op);
    EXPECT_EQ(precond.keeps_setup(), solve == 2);
    for (int cycle = 0; cycle < 3; ++cycle)
      precond.apply(r, z, scratch);
    EXPECT_EQ(device->num_recorded, solve);
    EXPECT_EQ(device->num_replayed, 2 * solve);
  }
}

// What reads is done as it is, each time.
TEST(RecordedWork, ThatReadsIsNot) {
  const auto device = open_recording_device();
  const Buffer buffer = device->allocate(8, "a number");
  int times = 0;
  std::vector<double> seen;
  RepeatedWork work(*device, [&] {
    ++times;
    device->fill_zero(buffer, 8, 0);
    double value = 1;
    device->read(buffer, &value, 8, 0);
    seen.push_back(value);
  });
  for (int i = 0; i < 4; ++i)
    work.run();
  EXPECT_EQ(device->num_replayed, 0);
  EXPECT_EQ(times, 5); // once for nothing
  EXPECT_EQ(seen, std::vector<double>(4, 0.0));
}

// Work that is a part of other work is recorded with it.
TEST(RecordedWork, MayHoldOther) {
  const auto device = open_recording_device();
  const Buffer from = device->allocate(8, "from"), to = device->allocate(8, "to");
  RepeatedWork inner(*device, [&] { device->copy(from, to, 8, 0, 0); });
  RepeatedWork outer(*device, [&] {
    device->fill_zero(to, 8, 0);
    inner.run();
  });
  double value = 0;
  for (int i = 1; i <= 4; ++i) {
    const double number = i;
    device->write(from, &number, 8, 0);
    outer.run();
    device->read(to, &value, 8, 0);
    EXPECT_EQ(value, number);
  }
  EXPECT_EQ(device->num_recorded, 1);
  EXPECT_EQ(device->num_replayed, 3);
}

} // namespace
} // namespace weft
