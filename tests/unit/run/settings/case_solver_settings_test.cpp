#include "run/settings/case_solver_settings.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

TEST(CaseSolverSettings, NamesOfACaseAndTheirErrors) {
  SolverSpec spec;
  spec.method = "bicgstab";
  spec.preconditioner = "chebyshev";
  spec.newton.check_jacobian = true;
  const SolverSettings settings = make_solver_settings(spec);
  EXPECT_EQ(settings.method, KrylovKind::bicgstab);
  EXPECT_EQ(settings.preconditioner, PrecondKind::chebyshev);
  EXPECT_TRUE(settings.newton.check_jacobian);
  spec.method = "";
  EXPECT_FALSE(make_solver_settings(spec).method);
  spec.method = "cgs";
  EXPECT_THROW(make_solver_settings(spec), Error);
  spec.method = "cg";
  spec.tolerance = 0;
  EXPECT_THROW(make_solver_settings(spec), Error);
}

TEST(CaseSolverSettings, HypreGoesWithTheAssembledOperatorAlone) {
  SolverSpec spec;
  spec.preconditioner = "hypre";
  try {
    make_solver_settings(spec);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(error.diagnostic().remedy.find("operator = \"assembled\""), std::string::npos);
  }
  spec.op = "assembled";
  spec.hypre = {.strong_threshold = 0.7, .interpolation = "extended", .aggressive_levels = 1};
  spec.coarsening = "pmis";
  spec.reuse = true;
  const SolverSettings settings = make_solver_settings(spec);
  EXPECT_EQ(settings.preconditioner, PrecondKind::hypre);
  EXPECT_EQ(settings.hypre.strong_threshold, 0.7);
  EXPECT_EQ(settings.hypre.coarsening, 8);
  EXPECT_EQ(settings.hypre.interpolation, 14);
  EXPECT_EQ(settings.hypre.aggressive_levels, 1);
  EXPECT_TRUE(settings.hypre.reuse);
}

TEST(CaseSolverSettings, ApproximateInversesAndTheirKeys) {
  SolverSpec spec;
  spec.op = "assembled";
  spec.preconditioner = "ilu";
  spec.level = 2;
  spec.reuse = false;
  const SolverSettings ilu = make_solver_settings(spec);
  EXPECT_EQ(ilu.preconditioner, PrecondKind::ilu);
  EXPECT_EQ(ilu.ilu.level, 2);
  EXPECT_FALSE(ilu.ilu.reuse);
  spec.preconditioner = "spai";
  EXPECT_FALSE(make_solver_settings(spec).reuse_sparse_inverse);
  spec.preconditioner = "adi";
  EXPECT_FALSE(make_solver_settings(spec).adi.reuse);
  for (const char *name : {"ilu", "spai", "adi"}) {
    spec.preconditioner = name;
    EXPECT_TRUE(needs_matrix(spec));
    spec.op = "matrix_free";
    EXPECT_THROW(make_solver_settings(spec), Error);
    spec.op = "assembled";
  }
}

TEST(CaseSolverSettings, SmoothersThatAreInversesGoWithAggregation) {
  SolverSpec spec;
  spec.op = "assembled";
  spec.preconditioner = "multigrid";
  spec.multigrid.smoother = "ilu";
  const MultigridSettings settings = make_solver_settings(spec).multigrid;
  EXPECT_EQ(settings.smoother, SmootherKind::ilu);
  EXPECT_EQ(settings.sweeps, 1);
  spec.multigrid.sweeps = 3;
  EXPECT_EQ(make_solver_settings(spec).multigrid.sweeps, 3);
  spec.coarsening = "nested";
  EXPECT_THROW(make_solver_settings(spec), Error);
  spec.multigrid = {.smoother = "jacobi"};
  EXPECT_EQ(make_solver_settings(spec).multigrid.sweeps, 2);
}

} // namespace
} // namespace weft
