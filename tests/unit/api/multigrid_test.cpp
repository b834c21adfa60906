// Multigrid of the public interface for matrices of a caller's: those of Eigen. Right-hand sides
// are products with known solutions.
#include "weft/multigrid.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <thread>

#include "support/callers_matrices.h"
#include "support/convection_matrix.h"

namespace weft {
namespace {

using Eigen::VectorXd;
using test::csr_of;
using Sparse = test::CallersMatrixOfEigen;

MultigridOptions on_test_device(MultigridOptions options = {}) {
  if (const char *selector = std::getenv("WEFT_TEST_DEVICE"))
    options.device = selector;
  return options;
}

Multigrid multigrid_of(const Sparse &a, const MultigridOptions &options = {}) {
  return Multigrid(csr_of(a), on_test_device(options));
}

VectorXd product(Multigrid &multigrid, const VectorXd &r) {
  VectorXd z = VectorXd::Constant(r.size(), NAN);
  multigrid.apply({r.data(), std::size_t(r.size())}, {z.data(), std::size_t(z.size())});
  return z;
}

struct Solved {
  SolveResult result;
  VectorXd x, expected;
  double error() const { return (x - expected).norm() / expected.norm(); }
};

Solved solve_for_known(Multigrid &multigrid, const Sparse &a, SolveOptions options = {}) {
  Solved solved{.expected = test::random_vector(int(a.rows()), 3)};
  const VectorXd b = a * solved.expected;
  solved.x = VectorXd::Zero(a.rows());
  solved.result = multigrid.solve({b.data(), std::size_t(b.size())},
                                  {solved.x.data(), std::size_t(solved.x.size())}, options);
  return solved;
}

Solved solve_for_known(const Sparse &a, const MultigridOptions &options,
                       const SolveOptions &of_solve = {}) {
  Multigrid multigrid = multigrid_of(a, options);
  return solve_for_known(multigrid, a, of_solve);
}

// The largest eigenvalue over the smallest is below 41^2 * 3, so that a residual of 1e-12 leaves an
// error of less than 1e-8.
TEST(PublicMultigrid, SolvesPoissonWithLevelsInF16AsFastAsInF64) {
  const Sparse a = test::poisson_matrix({40, 40, 40});
  Multigrid f16 = multigrid_of(a), f64 = multigrid_of(a, {.precision = {"f64"}});
  const Solved low = solve_for_known(f16, a, {.tolerance = 1e-12});
  const Solved high = solve_for_known(f64, a, {.tolerance = 1e-12});
  EXPECT_TRUE(low.result.converged) << low.result.reason;
  EXPECT_LE(low.result.residual, 1e-12);
  EXPECT_LT(low.error(), 1e-8);
  EXPECT_LT(high.error(), 1e-8);
  EXPECT_LE(low.result.iterations, high.result.iterations + 2);
  EXPECT_LE(high.result.iterations, 25);

  EXPECT_TRUE(f16.symmetric());
  EXPECT_FALSE(f16.copies_arrays());
  EXPECT_EQ(f16.num_rows(), 64000u);
  const std::vector<MultigridLevelInfo> levels = f16.levels();
  ASSERT_GE(levels.size(), 3u);
  EXPECT_EQ(levels[0].unknowns, 64000u);
  EXPECT_EQ(levels[0].entries, std::size_t(a.nonZeros()));
  EXPECT_EQ(levels[0].precision, "f16");
  EXPECT_LE(levels.back().unknowns, 400u);
  double entries = 0;
  for (const MultigridLevelInfo &level : levels)
    entries += double(level.entries);
  EXPECT_DOUBLE_EQ(f16.operator_complexity(), entries / double(a.nonZeros()));
  EXPECT_LT(f16.operator_complexity(), 2);
  EXPECT_LT(f16.levels()[0].bytes, f64.levels()[0].bytes);
  EXPECT_GT(f16.bytes(), levels[0].bytes);
  EXPECT_GT(f16.setup_seconds(), 0);
}

// Rotations are not among constants, so that coarse levels without them do not bend.
TEST(PublicMultigrid, CoordinatesMakeRigidBodyModes) {
  const test::ElasticBar bar = test::elastic_bar({30, 5, 5});
  const MultigridOptions coarse = {.coarsest_size = 60, .block_size = 3};
  MultigridOptions with = coarse;
  with.coordinates = bar.coordinates;
  const Solved without_modes = solve_for_known(bar.matrix, coarse);
  Multigrid multigrid = multigrid_of(bar.matrix, with);
  EXPECT_FALSE(multigrid.copies_arrays());
  const Solved with_modes = solve_for_known(multigrid, bar.matrix);
  EXPECT_TRUE(with_modes.result.converged) << with_modes.result.reason;
  EXPECT_LT(with_modes.error(), 1e-5); // the bar bends easily: condition numbers beyond 1e5
  EXPECT_LE(2 * with_modes.result.iterations, without_modes.result.iterations);

  // The same modes by their values: [row][vector].
  MultigridOptions by_values = coarse;
  for (std::size_t node = 0; node < bar.coordinates.size() / 3; ++node) {
    const double x = bar.coordinates[3 * node], y = bar.coordinates[3 * node + 1],
                 z = bar.coordinates[3 * node + 2];
    by_values.near_null_space.insert(by_values.near_null_space.end(),
                                     {1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x, 0, 0, 1, y, -x, 0});
  }
  const Solved given = solve_for_known(bar.matrix, by_values);
  EXPECT_TRUE(given.result.converged) << given.result.reason;
  EXPECT_NEAR(given.result.iterations, with_modes.result.iterations, 2);
}

// Zeros that are left out are filled up, in a copy.
TEST(PublicMultigrid, FillsBlocksUp) {
  test::ElasticBar bar = test::elastic_bar({12, 4, 4});
  const MultigridOptions options = {
      .coarsest_size = 60, .block_size = 3, .coordinates = bar.coordinates};
  const Solved whole = solve_for_known(bar.matrix, options);
  bar.matrix.prune(0.0);
  Multigrid multigrid = multigrid_of(bar.matrix, options);
  EXPECT_TRUE(multigrid.copies_arrays());
  const Solved filled = solve_for_known(multigrid, bar.matrix);
  EXPECT_EQ(filled.result.iterations, whole.result.iterations);
  EXPECT_LT((filled.x - whole.x).norm(), 1e-7 * whole.x.norm());
}

// One vector for two unknowns a node: fewer than constants of each.
TEST(PublicMultigrid, TakesFewerVectorsThanUnknownsOfANode) {
  const Sparse a = test::poisson_matrix({60, 60, 2}); // the third direction: two unknowns a node
  const MultigridOptions options = {.block_size = 2,
                                    .near_null_space = std::vector<double>(a.rows(), 2.)};
  const Solved solved = solve_for_known(a, options);
  EXPECT_TRUE(solved.result.converged) << solved.result.reason;
  EXPECT_LE(solved.result.iterations, 40); // the other mode is damped by the smoother: 2 of 3 z
}

TEST(PublicMultigrid, FindsThatAMatrixIsNotSymmetric) {
  const Sparse a = test::convection_matrix(80, 0.01);
  Multigrid multigrid = multigrid_of(a);
  EXPECT_FALSE(multigrid.symmetric());
  for (const char *method : {"", "bicgstab"}) {
    const Solved solved = solve_for_known(multigrid, a, {.method = method});
    EXPECT_TRUE(solved.result.converged) << solved.result.reason;
    EXPECT_LT(solved.error(), 1e-6);
    EXPECT_LE(solved.result.iterations, 100);
  }
}

// Its solutions differ by constants.
TEST(PublicMultigrid, SolvesASingularSystemThatHasASolution) {
  const Sparse a = test::poisson_matrix({20, 20, 20}, true);
  const Solved solved = solve_for_known(a, {});
  EXPECT_TRUE(solved.result.converged) << solved.result.reason;
  const VectorXd difference = solved.x - solved.expected;
  EXPECT_LT(difference.maxCoeff() - difference.minCoeff(), 1e-6);
}

// The multigrid of 4 A is a fourth of that of A.
TEST(PublicMultigrid, UpdateTakesOtherValues) {
  const Sparse a = test::poisson_matrix({30, 30, 10});
  Multigrid multigrid = multigrid_of(a);
  const VectorXd r = test::random_vector(int(a.rows()), 5);
  const VectorXd before = product(multigrid, r);
  const Solved first = solve_for_known(multigrid, a);
  Sparse scaled = 4 * a;
  multigrid.update({scaled.valuePtr(), std::size_t(scaled.nonZeros())});
  EXPECT_LT((4 * product(multigrid, r) - before).norm(), 1e-12 * before.norm());
  const Solved second = solve_for_known(multigrid, scaled);
  EXPECT_EQ(second.result.iterations, first.result.iterations);
  EXPECT_LT(second.error(), 1e-8);

  // Values of a matrix that is not symmetric any more change the method, too.
  for (int row = 0; row < 100; ++row)
    scaled.coeffRef(row, row + 300) *= 0.5;
  multigrid.update({scaled.valuePtr(), std::size_t(scaled.nonZeros())});
  EXPECT_FALSE(multigrid.symmetric());
  EXPECT_LT(solve_for_known(multigrid, scaled).error(), 1e-8);
}

// (M r, s) = (r, M s) and (M r, r) > 0 to the rounding of the vectors of the levels: f32, f64.
TEST(PublicMultigrid, AppliesASymmetricPositiveMap) {
  const Sparse a = test::poisson_matrix({25, 25, 25});
  const VectorXd r = test::random_vector(int(a.rows()), 7),
                 s = test::random_vector(int(a.rows()), 8);
  for (const auto &[precision, rounding] : {std::pair{"f16", 1e-5}, std::pair{"f64", 1e-13}}) {
    Multigrid multigrid = multigrid_of(a, {.precision = {precision}});
    const VectorXd mr = product(multigrid, r), ms = product(multigrid, s);
    const double size = std::sqrt(mr.dot(r) * ms.dot(s));
    EXPECT_GT(mr.dot(r), 0);
    EXPECT_NEAR(mr.dot(s), r.dot(ms), rounding * size) << precision;
    EXPECT_LT((product(multigrid, 2 * r - s) - (2 * mr - ms)).norm(), 10 * rounding * mr.norm());
    // In place.
    VectorXd both = r;
    multigrid.apply({both.data(), std::size_t(both.size())},
                    {both.data(), std::size_t(both.size())});
    EXPECT_EQ(both, mr);
  }
}

TEST(PublicMultigrid, CyclesSmoothersAndMethods) {
  const Sparse a = test::poisson_matrix({50, 50, 1});
  std::vector<std::pair<MultigridOptions, SolveOptions>> choices;
  for (const char *cycle : {"W", "K"})
    choices.push_back({{.cycle = cycle}, {}});
  for (const char *smoother : {"jacobi", "ilu", "spai"})
    choices.push_back({{.smoother = smoother}, {}});
  choices.push_back(
      {{.precision = {"f32", "bf16"}, .degree = 3}, {.method = "gmres", .restart = 20}});
  choices.push_back({{}, {.method = "defect_correction"}});
  for (const auto &[options, of_solve] : choices) {
    const Solved solved = solve_for_known(a, options, of_solve);
    EXPECT_TRUE(solved.result.converged) << options.cycle << " " << options.smoother << " "
                                         << of_solve.method << ": " << solved.result.reason;
    EXPECT_LT(solved.error(), 1e-6);
    EXPECT_LE(solved.result.iterations, 40) << options.cycle << " " << options.smoother;
  }
}

TEST(PublicMultigrid, SaysThatItDidNotConverge) {
  const Sparse a = test::poisson_matrix({30, 30, 3});
  int calls = 0;
  const SolveOptions two = {.max_iterations = 2, .progress = [&](int iteration, double residual) {
                              EXPECT_EQ(iteration, ++calls);
                              EXPECT_GT(residual, 0);
                            }};
  const Solved solved = solve_for_known(a, {}, two);
  EXPECT_FALSE(solved.result.converged);
  EXPECT_EQ(solved.result.iterations, 2);
  EXPECT_EQ(calls, 2);
  EXPECT_NE(solved.result.reason.find("2 iterations"), std::string::npos) << solved.result.reason;
  EXPECT_GT(solved.result.residual, 1e-10);
  EXPECT_TRUE(solved.x.allFinite());
}

// A suite of its own, whose process has opened no device yet: both threads begin with that. The
// order of all sums is fixed, whoever else computes.
TEST(PublicMultigridAtOnce, TwoThreadsHaveOneEach) {
  const std::vector<Sparse> matrices = {test::poisson_matrix({20, 20, 20}),
                                        test::poisson_matrix({60, 60, 2})};
  std::vector<VectorXd> together(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 3; ++repeat)
        together[i] = solve_for_known(matrices[i], {}).x;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(together[i], solve_for_known(matrices[i], {}).x);
}

// D A D nearly maps D^-1 1 to zero.
TEST(PublicMultigrid, TakesANearNullVectorOfAScaledMatrix) {
  Sparse a = test::poisson_matrix({24, 24, 24});
  const VectorXd random = test::random_vector(int(a.rows()), 9); // between -1 and 1
  const VectorXd inverse = random.array().exp();
  for (int row = 0; row < a.rows(); ++row)
    for (Sparse::InnerIterator e(a, row); e; ++e)
      e.valueRef() /= inverse[row] * inverse[e.col()];
  const Solved untold = solve_for_known(a, {.coarsest_size = 50});
  const Solved told = solve_for_known(
      a, {.coarsest_size = 50, .near_null_space = {inverse.begin(), inverse.end()}});
  EXPECT_TRUE(told.result.converged) << told.result.reason;
  EXPECT_LE(4 * told.result.iterations, 3 * untold.result.iterations);
}

TEST(PublicMultigrid, SolvesTheSmallestSystems) {
  for (const int n : {1, 2, 5}) {
    const Sparse a = test::poisson_matrix({n, 1, 1});
    const Solved solved = solve_for_known(a, {});
    EXPECT_TRUE(solved.result.converged) << solved.result.reason;
    EXPECT_LT(solved.error(), 1e-9);
  }
  Sparse diagonal(1000, 1000); // nothing to coarsen
  diagonal.setIdentity();
  diagonal *= 3;
  const Solved solved = solve_for_known(diagonal, {});
  EXPECT_TRUE(solved.result.converged) << solved.result.reason;
  EXPECT_LT(solved.error(), 1e-9);
  EXPECT_LE(solved.result.iterations, 10);
}

std::string error_of(const std::function<void()> &action) {
  try {
    action();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "no error";
}

TEST(PublicMultigrid, RefusesOptionsThatAreNone) {
  const Sparse a = test::poisson_matrix({4, 4, 1});
  const auto refused = [&](const MultigridOptions &options, const char *text) {
    const std::string error = error_of([&] { multigrid_of(a, options); });
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  refused({.threads = -1}, "MultigridOptions::threads");
  refused({.precision = {"f8"}}, "MultigridOptions::precision");
  refused({.cycle = "F"}, "There is no such cycle.");
  refused({.smoother = "gauss_seidel"}, "There is no such smoother.");
  refused({.degree = 0}, "MultigridOptions::degree");
  refused({.sweeps = 0}, "MultigridOptions::sweeps");
  refused({.strength = 1.5}, "MultigridOptions::strength");
  refused({.max_levels = 0}, "MultigridOptions::max_levels");
  refused({.coarsest_size = 0}, "MultigridOptions::coarsest_size");
  refused({.block_size = 3}, "the block size does not divide the number of rows");
  refused({.block_size = 0}, "the block size does not divide the number of rows");
  refused({.near_null_space = {1, 2, 3}}, "near null vectors have an entry for each row");
  refused({.near_null_space = std::vector<double>(16, NAN)},
          "MultigridOptions::near_null_space[0]");
  refused({.coordinates = {1, 2, 3}}, "block_size = 1");
  refused({.block_size = 2, .coordinates = {1, 2, 3}}, "3 entries");
  refused({.block_size = 2, .coordinates = std::vector<double>(16, INFINITY)},
          "MultigridOptions::coordinates[0]");
  refused({.block_size = 2,
           .near_null_space = std::vector<double>(16, 1),
           .coordinates = std::vector<double>(16, 1)},
          "two near null spaces");

  MultigridOptions elsewhere;
  elsewhere.device = "abacus";
  EXPECT_NE(error_of([&] { Multigrid(csr_of(a), elsewhere); }).find("abacus"), std::string::npos);
}

TEST(PublicMultigrid, RefusesWhatCannotBeSolved) {
  const Sparse a = test::convection_matrix(10, 0.01);
  Multigrid multigrid = multigrid_of(a);
  std::vector<double> short_one(99), right(100);
  const auto refused = [](const std::function<void()> &action, const char *text) {
    const std::string error = error_of(action);
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  refused([&] { multigrid.apply(short_one, right); }, "100 (num_rows)");
  refused([&] { multigrid.apply(right, short_one); }, "100 (num_rows)");
  refused([&] { multigrid.solve(short_one, right); }, "100 (num_rows)");
  refused([&] { multigrid.solve(right, short_one); }, "100 (num_rows)");
  refused([&] { multigrid.update(right); }, "CsrMatrix::values");
  refused([&] { multigrid.solve(right, right, {.method = "cg"}); }, "cg is for symmetric matrices");
  refused([&] { multigrid.solve(right, right, {.method = "sor"}); }, "There is no such method.");
  refused([&] { multigrid.solve(right, right, {.tolerance = 0}); }, "SolveOptions::tolerance");
  refused([&] { multigrid.solve(right, right, {.max_iterations = 0}); },
          "SolveOptions::max_iterations");
  refused([&] { multigrid.solve(right, right, {.restart = -1}); }, "SolveOptions::restart");

  right[0] = NAN;
  std::vector<double> x(100);
  const SolveResult result = multigrid.solve(right, x);
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.reason.find("finite"), std::string::npos) << result.reason;
}

} // namespace
} // namespace weft
