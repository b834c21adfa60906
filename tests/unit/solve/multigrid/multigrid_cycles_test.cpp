// Cycles of multigrid on hierarchies made by hand and by aggregation: symmetry, convergence that
// does not depend on the size, storage in 16 bits, any size of right-hand side.
#include "solve/multigrid/multigrid_cycles.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.h"
#include "device/host/host_device.h"
#include "linalg/levels/level_matrix.h"
#include "solve/multigrid/multigrid_set_up.h"
#include "solve/precondition/precond_multigrid.h"
#include "support/cuda_compiler.h"
#include "support/eigen_matrix.h"
#include "support/level_cases.h"
#include "support/solve_support.h"

namespace weft {
namespace {

using test::Matrix;
using test::to_host;
using Vectord = Eigen::VectorXd;

// Points of a box, without those on its boundary, where values are prescribed.
struct Grid {
  std::array<int, 3> n = {1, 1, 1};
  int size() const { return n[0] * n[1] * n[2]; }
  int point(int i, int j, int k) const { return (i * n[1] + j) * n[2] + k; }
};

// -div(k grad u) by finite differences; `weights` of the directions, k of a cell (by its position
// between 0 and 1, between neighbours).
template <typename Coefficient>
Matrix laplacian(const Grid &g, const std::array<double, 3> &weights, Coefficient k) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < g.n[0]; ++i)
    for (int j = 0; j < g.n[1]; ++j)
      for (int l = 0; l < g.n[2]; ++l)
        for (int d = 0; d < 3; ++d)
          for (const int step : {-1, 1}) {
            std::array<int, 3> p = {i, j, l};
            if (g.n[d] == 1)
              continue;
            std::array<double, 3> middle;
            for (int e = 0; e < 3; ++e)
              middle[e] = (p[e] + 1 + (e == d ? 0.5 * step : 0)) / (g.n[e] + 1);
            const double a = weights[d] * k(middle);
            const int row = g.point(i, j, l);
            entries.emplace_back(row, row, a);
            p[d] += step;
            if (p[d] >= 0 && p[d] < g.n[d])
              entries.emplace_back(row, g.point(p[0], p[1], p[2]), -a);
          }
  Matrix a(g.size(), g.size());
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}
double constant_one(const std::array<double, 3> &) {
  return 1;
}

// Linear interpolation in each direction of more than one point, from every second one.
Matrix grid_interpolation(const Grid &fine, const Grid &coarse) {
  const auto weights = [](int i, int n, int n_coarse) {
    std::vector<std::pair<int, double>> w;
    if (n == n_coarse)
      return std::vector<std::pair<int, double>>{{i, 1.0}};
    if (i % 2 == 1)
      w.emplace_back(i / 2, 1.0);
    else
      for (const int c : {i / 2 - 1, i / 2})
        if (c >= 0 && c < n_coarse)
          w.emplace_back(c, 0.5);
    return w;
  };
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < fine.n[0]; ++i)
    for (int j = 0; j < fine.n[1]; ++j)
      for (int k = 0; k < fine.n[2]; ++k)
        for (const auto &[ci, wi] : weights(i, fine.n[0], coarse.n[0]))
          for (const auto &[cj, wj] : weights(j, fine.n[1], coarse.n[1]))
            for (const auto &[ck, wk] : weights(k, fine.n[2], coarse.n[2]))
              entries.emplace_back(fine.point(i, j, k), coarse.point(ci, cj, ck), wi * wj * wk);
  Matrix p(fine.size(), coarse.size());
  p.setFromTriplets(entries.begin(), entries.end());
  return p;
}

Hierarchy grid_hierarchy(const Matrix &matrix, Grid grid, int coarsest) {
  Hierarchy h;
  h.levels.emplace_back();
  Matrix a = matrix;
  while (grid.size() > coarsest) {
    Grid coarse = grid;
    for (int &n : coarse.n)
      n = n > 1 ? (n - 1) / 2 : 1;
    const Matrix p = grid_interpolation(grid, coarse);
    h.levels.back().prolongation = {to_host(p), coarse.size()};
    a = Matrix(p.transpose()) * a * p;
    h.levels.emplace_back();
    h.levels.back().matrix = to_host(a);
    grid = coarse;
  }
  return h;
}

std::vector<MultigridLevel> make_matrix_levels(Device &device,
                                               std::unique_ptr<LevelOperator> finest,
                                               const Hierarchy &hierarchy,
                                               const MultigridSettings &settings) {
  std::vector<MultigridLevel> levels;
  levels.push_back({.op = std::move(finest)});
  for (std::size_t l = 1; l < hierarchy.levels.size(); ++l)
    add_matrix_level(device, hierarchy.levels[l - 1], hierarchy.levels[l], settings, true, levels);
  for (std::size_t l = 0; l < levels.size(); ++l)
    levels[l].largest_eigenvalue = hierarchy.levels[l].largest_eigenvalue;
  return levels;
}

MultigridMaker hand_made(const Hierarchy &hierarchy, const MultigridSettings &settings,
                         bool solved = true) {
  return [=](LinearOperator &op, const OnFinestLevel &on_finest) {
    auto finest = std::make_unique<LevelMatrix>(op.device(), *op.matrix(), settings.precision(0),
                                                LevelMatrix::Constants{});
    on_finest(*finest);
    auto levels = make_matrix_levels(op.device(), std::move(finest), hierarchy, settings);
    levels[0].inverse = make_level_inverse(op.device(), settings.smoother, op.matrix()->host(),
                                           *levels[0].op, true);
    const LevelOperator &last = *levels.back().op;
    auto coarsest =
        solved ? std::make_unique<DenseInverse>(op.device(), hierarchy.levels.back().matrix,
                                                last.scaling(), last.precision())
               : nullptr;
    return std::make_unique<MultigridCycles>(op.device(), std::move(levels), std::move(coarsest),
                                             settings, op.symmetric());
  };
}

// A preconditioner on the test's device with vectors of the host.
class OnHost {
public:
  OnHost(const Matrix &a, const MultigridMaker &make)
      : matrix_(sparse_matrix(test::device(), to_host(a))),
        kernels_(test::device(), Precision::f64, a.rows(), 4, {}),
        multigrid_(kernels_, make, false) {
    multigrid_.update(matrix_);
  }
  Vectord operator()(const Vectord &r) {
    const Vector on_device = test::upload_vector(r, Precision::f64);
    Vector z = kernels_.vector("z"), scratch;
    return test::download_vector(multigrid_.apply(on_device, z, scratch));
  }
  const PrecondMultigrid &preconditioner() const { return multigrid_; }

private:
  SparseMatrix matrix_;
  VectorKernels kernels_;
  PrecondMultigrid multigrid_;
};

// Steps of flexible conjugate gradients (Notay 2000, DOI 10.1137/S1064827599362314) until the
// residual is 1e-8 of the first; 100 where they do not get there.
int steps_of_cg(const Matrix &a, OnHost &m, unsigned seed = 1) {
  Vectord r = test::random_vector(int(a.rows()), int(seed)), x = Vectord::Zero(a.rows()), p, q;
  const double start = r.norm();
  for (int step = 1; step <= 100; ++step) {
    const Vectord z = m(r);
    p = step == 1 ? z : Vectord(z - z.dot(q) / p.dot(q) * p);
    q = a * p;
    const double alpha = p.dot(r) / p.dot(q);
    x += alpha * p;
    r -= alpha * q;
    if (r.norm() <= 1e-8 * start)
      return step;
  }
  return 100;
}

// Each one's kernels are compiled: all of them with WEFT_TEST_ALL.
std::vector<std::vector<Precision>> storages_tested() {
  std::vector<std::vector<Precision>> storages = {{Precision::f64}, {Precision::f16}};
  if (std::getenv("WEFT_TEST_ALL"))
    storages.insert(
        storages.end(),
        {{Precision::f32}, {Precision::bf16}, {Precision::f64, Precision::f32, Precision::f16}});
  return storages;
}

TEST(MultigridCycles, CycleIsSymmetricAndPositive) {
  const Grid grid{{15, 15, 1}};
  const Matrix a = laplacian(grid, {1, 1, 1}, constant_one);
  const Hierarchy h = grid_hierarchy(a, grid, 10);
  ASSERT_EQ(h.levels.size(), 3u);
  for (const MultigridCycle cycle : {MultigridCycle::v, MultigridCycle::w})
    for (const SmootherKind smoother :
         {SmootherKind::chebyshev, SmootherKind::jacobi, SmootherKind::ilu, SmootherKind::spai})
      for (const auto &storages : storages_tested()) {
        OnHost m(a, hand_made(h, {.cycle = cycle, .smoother = smoother, .precisions = storages}));
        const Vectord x = test::random_vector(grid.size(), 1),
                      y = test::random_vector(grid.size(), 2);
        const Vectord mx = m(x), my = m(y);
        const double rounding =
            storages.front() == Precision::f64 && storages.size() == 1 ? 1e-13 : 1e-5;
        EXPECT_NEAR(mx.dot(y), x.dot(my), rounding * mx.norm() * y.norm());
        EXPECT_GT(x.dot(mx), 0);
        EXPECT_EQ(m(x), mx) << "the same bits";
        EXPECT_EQ(m.preconditioner().varies(), rounding > 1e-6);
      }
}

TEST(MultigridCycles, ConvergenceDoesNotDependOnTheSize) {
  const std::pair<Grid, Grid> pairs[] = {{{{31, 1, 1}}, {{1023, 1, 1}}},
                                         {{{15, 15, 1}}, {{127, 127, 1}}},
                                         {{{7, 7, 7}}, {{31, 31, 31}}}};
  for (const auto &[small, large] : pairs) {
    std::vector<int> steps;
    for (const Grid &grid : {small, large}) {
      const Matrix a = laplacian(grid, {1, 1, 1}, constant_one);
      OnHost m(a, hand_made(grid_hierarchy(a, grid, 10), {}));
      steps.push_back(steps_of_cg(a, m));
    }
    EXPECT_LE(steps[1], 10);
    EXPECT_LE(steps[1], steps[0] + 3);
  }
}

TEST(MultigridCycles, EveryCycleSmootherAndStorage) {
  const Grid grid{{31, 31, 1}};
  const Matrix a = laplacian(grid, {1, 1, 1}, constant_one);
  const Hierarchy h = grid_hierarchy(a, grid, 10);
  for (const MultigridCycle cycle : {MultigridCycle::v, MultigridCycle::w, MultigridCycle::k})
    for (const SmootherKind smoother :
         {SmootherKind::chebyshev, SmootherKind::jacobi, SmootherKind::ilu, SmootherKind::spai}) {
      std::vector<int> steps;
      for (const auto &storages : storages_tested()) {
        OnHost m(a, hand_made(h, {.cycle = cycle, .smoother = smoother, .precisions = storages}));
        steps.push_back(steps_of_cg(a, m));
        EXPECT_LE(steps.back(), 11);
        EXPECT_LE(steps.back(), steps.front() + 1);
      }
    }
  OnHost one_step(a, hand_made(h, {.cycle = MultigridCycle::k, .krylov_steps = 1}));
  EXPECT_LE(steps_of_cg(a, one_step), 11);
  OnHost smoothed_coarsest(a, hand_made(h, {}, false));
  EXPECT_FALSE(smoothed_coarsest.preconditioner().multigrid().solves_coarsest());
  EXPECT_LE(steps_of_cg(a, smoothed_coarsest), 11);
}

// Coefficients that jump between 1e-4 and 1e4 from one part of the box to the next, and cells
// stretched by 100: 16 bits converge where 64 do.
TEST(MultigridCycles, HardCoefficientsInHalfPrecision) {
  const auto jumping = [](const std::array<double, 3> &x) {
    const int part = int(4 * x[0]) + int(4 * x[1]) + int(4 * x[2]);
    return part % 2 ? 1e4 : 1e-4;
  };
  const Grid grid{{24, 24, 24}};
  for (const auto &a :
       {laplacian(grid, {1, 1, 1}, jumping), laplacian(grid, {1e4, 1, 1}, constant_one)}) {
    std::vector<int> steps;
    for (const auto &storages : storages_tested())
      for (const MultigridCycle cycle : {MultigridCycle::v, MultigridCycle::k}) {
        OnHost m(a, aggregation_multigrid(
                        {.cycle = cycle, .precisions = storages, .coarsest_size = 100}, {}));
        EXPECT_GE(m.preconditioner().levels().size(), 2u);
        steps.push_back(steps_of_cg(a, m));
        EXPECT_LE(steps.back(), 30);
        EXPECT_LE(steps.back(), steps[steps.size() % 2 == 1 ? 0 : 1] * 6 / 5 + 1);
      }
  }
}

TEST(MultigridCycles, AnySizeOfRightHandSide) {
  const Grid grid{{15, 15, 1}};
  const Matrix a = laplacian(grid, {1, 1, 1}, constant_one);
  OnHost m(a, hand_made(grid_hierarchy(a, grid, 10), {}));
  const Vectord r = test::random_vector(grid.size(), 1);
  const Vectord z = m(r);
  for (const double size : {1e-300, 1e300})
    EXPECT_LE((m(size * r) / size - z).cwiseAbs().maxCoeff(), 1e-5 * z.cwiseAbs().maxCoeff());
  EXPECT_EQ(m(Vectord::Zero(grid.size())), Vectord::Zero(grid.size()));
  Vectord with_nan = r;
  with_nan[17] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(m(with_nan).sum()));
}

// Prescribed unknowns: rows of the identity, with no coarse unknown.
TEST(MultigridCycles, RowsOfTheIdentityStayAlone) {
  const Grid grid{{63, 1, 1}};
  Matrix a = laplacian(grid, {1, 1, 1}, constant_one);
  a.prune([](int row, int column, double) { return row != 20 && column != 20; });
  a.coeffRef(20, 20) = 1;
  OnHost m(a, aggregation_multigrid({.coarsest_size = 10}, {}));
  const Vectord z = m(Vectord::Unit(63, 20));
  EXPECT_GT(z[20], 0.5);
  EXPECT_NEAR(z.cwiseAbs().sum(), z[20], 1e-12);
  EXPECT_LE(steps_of_cg(a, m), 12);
}

TEST(MultigridCycles, SaysWhatItsLevelsAre) {
  const Grid grid{{63, 63, 1}};
  const Matrix a = laplacian(grid, {1, 1, 1}, constant_one);
  OnHost m(
      a, hand_made(grid_hierarchy(a, grid, 10), {.precisions = {Precision::f32, Precision::f16}}));
  const std::vector<LevelSummary> levels = m.preconditioner().levels();
  ASSERT_EQ(levels.size(), 5u);
  EXPECT_EQ(levels[0].unknowns, 63 * 63);
  EXPECT_EQ(levels[0].entries, a.nonZeros());
  EXPECT_EQ(levels[0].storage, Precision::f32);
  EXPECT_EQ(levels[4].unknowns, 9);
  EXPECT_EQ(levels[4].storage, Precision::f16);
  EXPECT_GT(levels[0].bytes, 2 * levels[1].bytes);
  EXPECT_EQ(m.preconditioner().low_precision(), Precision::f16);
}

// The thread that makes levels beside the host ends, whichever of the two fails.
TEST(MultigridCycles, FailuresBesideTheHostAreThrown) {
  const Grid grid{{12, 12, 12}};
  const Matrix good = laplacian(grid, {1, 1, 1}, constant_one);
  Matrix bad = good;
  bad.coeffRef(5, 5) = 0;
  const auto make = [](const Matrix &a, bool fails) {
    const SparseMatrix matrix = sparse_matrix(test::device(), to_host(a));
    return make_aggregation_levels(
        test::device(), matrix, {.coarsest_size = 10}, {},
        [&]() -> std::unique_ptr<LevelOperator> {
          if (fails)
            throw Error(ErrorKind::system, {.what = "no room for the finest level"});
          return std::make_unique<LevelMatrix>(test::device(), matrix, Precision::f16,
                                               LevelMatrix::Constants{});
        },
        nullptr);
  };
  EXPECT_THROW(
      {
        try {
          make(good, true);
        } catch (const Error &e) {
          EXPECT_NE(std::string(e.what()).find("no room for the finest level"), std::string::npos);
          throw;
        }
      },
      Error);
  EXPECT_THROW(make(bad, false), Error);
  const AggregationLevels made = make(good, false);
  EXPECT_GT(made.levels.size(), 2U);
  EXPECT_EQ(made.levels.back().op->size(), made.coarsest.num_rows());
  EXPECT_GT(made.levels[0].largest_eigenvalue, 1);
}

TEST(MultigridCycles, NeedsAMatrix) {
  test::CsrOperator op(test::stencil_matrix(100, 1), Precision::f64);
  VectorKernels kernels(test::device(), Precision::f64, 100, 4, {});
  PrecondMultigrid multigrid(kernels, aggregation_multigrid({}, {}), false);
  EXPECT_THROW(multigrid.update(op), Error);
}

Vectord by_inverse(const Matrix &a, const Vectord &b, bool singular) {
  for (const Precision p : {Precision::f64, Precision::f32}) {
    DenseInverse inverse(test::device(), to_host(a), nullptr, p);
    EXPECT_EQ(inverse.singular(), singular);
    Vector x = make_vector(test::device(), a.rows(), p, "x");
    inverse.apply(test::upload_vector(b, p), x);
    if (p == Precision::f32)
      return test::download_vector(x);
    EXPECT_LE((a * test::download_vector(x) - b).norm(), 1e-9 * b.norm());
  }
  return {};
}

TEST(DenseInverse, OfRegularAndSingularMatrices) {
  for (const int size : {1, 7, 17, 120}) {
    const Matrix a = test::stencil_matrix(size, 1, size == 17 ? 0.4 : 0);
    const Vectord x = test::random_vector(size, 1);
    EXPECT_LE((by_inverse(a, a * x, false) - x).norm(), 1e-4 * x.norm());
  }
  // Every row adds up to zero.
  for (const double convection : {0.0, 0.3}) {
    Eigen::MatrixXd a = Eigen::MatrixXd(test::stencil_matrix(50, 1, convection));
    a.diagonal() -= a.rowwise().sum();
    const Matrix singular = a.sparseView();
    const Vectord b = singular * test::random_vector(50, 1);
    const Vectord x = by_inverse(singular, b, true);
    EXPECT_LE((singular * x - b).norm(), 1e-4 * b.norm());
    EXPECT_NEAR(x.sum(), 0, 1e-4 * x.norm());
  }
}

TEST(DenseInverse, RefusesWhatIsNotFinite) {
  const HostMatrix a{{0, 1}, {0}, {std::numeric_limits<double>::infinity()}};
  EXPECT_THROW(DenseInverse(test::device(), a, nullptr, Precision::f32), Error);
}

// All kernels of a K cycle, by work-groups of many items.
TEST(MultigridCycles, OnTheHostsDevice) {
  const Grid grid{{31, 1, 1}};
  const Matrix a = laplacian(grid, {1, 1, 1}, constant_one);
  const Hierarchy h = grid_hierarchy(a, grid, 10);
  const MultigridSettings settings{.cycle = MultigridCycle::k};
  const Vectord r = test::random_vector(grid.size(), 1);
  OnHost reference(a, hand_made(h, settings));
  const Vectord expected = reference(r);
  const auto device = open_host_device({.gpu = true});
  SparseMatrix matrix = sparse_matrix(*device, to_host(a));
  VectorKernels kernels(*device, Precision::f64, grid.size(), 4, {});
  PrecondMultigrid multigrid(kernels, hand_made(h, settings), false);
  multigrid.update(matrix);
  Vector x = kernels.vector("x"), z = kernels.vector("z"), scratch;
  set_vector(*device, x, std::span(r.data(), r.size()));
  const std::vector<double> found = get_vector(*device, multigrid.apply(x, z, scratch));
  for (int i = 0; i < grid.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-4 * expected.cwiseAbs().maxCoeff());
}

TEST(MultigridCycles, CompilesAsCudaText) {
  const Grid grid{{31, 1, 1}};
  const Matrix a = laplacian(grid, {1, 1, 1}, constant_one);
  Hierarchy h = grid_hierarchy(a, grid, 10);
  for (HierarchyLevel &level : h.levels)
    level.largest_eigenvalue = 2; // nothing runs
  CudaCompiler device;
  const MultigridSettings settings{.cycle = MultigridCycle::k};
  auto finest =
      std::make_unique<LevelMatrix>(device, to_host(a), Precision::f16, LevelMatrix::Constants{});
  MultigridCycles multigrid(
      device, make_matrix_levels(device, std::move(finest), h, settings),
      std::make_unique<DenseInverse>(device, h.levels.back().matrix, nullptr, Precision::f32),
      settings, true);
  multigrid.cycle(make_vector(device, grid.size(), Precision::f32, "b"));
  EXPECT_GT(device.binaries(), 4);
}

} // namespace
} // namespace weft
