// hypre's multigrid as a preconditioner: few iterations, the same solution, its set-up kept.
#include "solve/precondition/precond_hypre.h"

#include <Eigen/Dense>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.h"
#include "solve/linear/linear.h"
#include "solve/nonlinear/newton.h"
#include "solve/precondition/hypre_library.h"
#include "support/solve_support.h"

namespace weft {

using test::CsrOperator;
using test::download_vector;
using test::Matrix;
using test::random_vector;
using test::Solution;
using test::solve_system;
using test::sparse;
using test::upload_vector;

namespace {

// -d/dx(a du/dx) - d2u/dy2 - d2u/dz2 in finite differences on a cube, zero outside; `wind` is added
// as an upwind derivative along x.
Matrix cube_matrix(int width, double a = 1, double wind = 0) {
  std::vector<Eigen::Triplet<double>> entries;
  const std::array<int, 3> strides = {1, width, width * width};
  for (int i = 0; i < width * width * width; ++i) {
    entries.emplace_back(i, i, 2 * a + 4 + wind);
    for (int d = 0; d < 3; ++d) {
      const int index = i / strides[d] % width;
      const double coupling = d == 0 ? a : 1;
      if (index > 0)
        entries.emplace_back(i, i - strides[d], -coupling - (d == 0 ? wind : 0));
      if (index < width - 1)
        entries.emplace_back(i, i + strides[d], -coupling);
    }
  }
  Matrix matrix(width * width * width, width * width * width);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Plane strain, Young's modulus 1, Poisson's ratio 0.3, on width x width bilinear unit squares,
// held at the left; dof = 2*node + component.
Matrix elasticity_matrix(int width) {
  const double nu = 0.3, scale = 1 / ((1 + nu) * (1 - 2 * nu));
  Eigen::Matrix3d moduli;
  moduli << 1 - nu, nu, 0, nu, 1 - nu, 0, 0, 0, (1 - 2 * nu) / 2;
  Eigen::Matrix<double, 8, 8> cell = Eigen::Matrix<double, 8, 8>::Zero();
  const double point = 0.5 / std::sqrt(3);
  for (const double x : {0.5 - point, 0.5 + point})
    for (const double y : {0.5 - point, 0.5 + point}) {
      const std::array<std::array<double, 2>, 4> gradients = {
          {{y - 1, x - 1}, {1 - y, -x}, {-y, 1 - x}, {y, x}}}; // nodes (0,0) (1,0) (0,1) (1,1)
      Eigen::Matrix<double, 3, 8> strain = Eigen::Matrix<double, 3, 8>::Zero();
      for (int i = 0; i < 4; ++i) {
        strain(0, 2 * i) = strain(2, 2 * i + 1) = gradients[i][0];
        strain(1, 2 * i + 1) = strain(2, 2 * i) = gradients[i][1];
      }
      cell += 0.25 * scale * strain.transpose() * moduli * strain;
    }
  const int nodes = width + 1, size = 2 * nodes * nodes;
  const auto held = [&](int dof) { return dof / 2 % nodes == 0; };
  std::vector<Eigen::Triplet<double>> entries;
  for (int c = 0; c < width * width; ++c) {
    const int first = c / width * nodes + c % width;
    const std::array<int, 4> cell_nodes = {first, first + 1, first + nodes, first + nodes + 1};
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        const int row = 2 * cell_nodes[i / 2] + i % 2, column = 2 * cell_nodes[j / 2] + j % 2;
        entries.emplace_back(row, column, held(row) || held(column) ? 0 : cell(i, j));
      }
  }
  for (int dof = 0; dof < size; ++dof)
    entries.emplace_back(dof, dof, held(dof) ? 1 : 0);
  Matrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

SolverSettings settings_of(PrecondKind preconditioner, double tolerance = 1e-10) {
  SolverSettings settings;
  settings.preconditioner = preconditioner;
  settings.tolerance = tolerance;
  return settings;
}

// F(u) = A u + a u^3 - b with its derivative as a matrix too.
class CubicWithMatrix : public CsrOperator {
public:
  CubicWithMatrix(const Matrix &matrix, double a, const Eigen::VectorXd &b)
      : CsrOperator(matrix, Precision::f64, true, a, b), linear_part_(matrix), a_(a) {}
  void linearise(const Vector &u) override {
    CsrOperator::linearise(u);
    Matrix derivative = linear_part_;
    derivative.diagonal() += 3 * a_ * download_vector(u).cwiseAbs2();
    derivative_ = sparse(derivative);
  }
  const SparseMatrix *matrix() const override { return derivative_.get(); }

private:
  Matrix linear_part_;
  double a_;
  std::unique_ptr<SparseMatrix> derivative_;
};

class Hypre : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("WEFT_MODULE_DIR", WEFT_MODULE_DIR, 0);
    available_ = std::string(WEFT_MODULE_DIR) != "";
  }
  void SetUp() override {
    if (!available_)
      GTEST_SKIP() << "this build has no module of hypre: libhypre-dev or MPI was not found";
  }

private:
  static inline bool available_ = false;
};

TEST_F(Hypre, iterations_on_poisson_do_not_grow) {
  for (const int width : {8, 24}) {
    const Matrix matrix = cube_matrix(width);
    const Eigen::VectorXd expected = random_vector(int(matrix.rows()), 1);
    const auto op = sparse(matrix);
    const Solution multigrid =
        solve_system(*op, matrix * expected, settings_of(PrecondKind::hypre));
    EXPECT_TRUE(multigrid.report.converged) << multigrid.report.reason;
    EXPECT_LE(multigrid.report.iterations, 14) << "width " << width;
    EXPECT_EQ(multigrid.report.num_setups, 1);
    const Solution jacobi = solve_system(*op, matrix * expected, settings_of(PrecondKind::jacobi));
    EXPECT_LT((multigrid.x - jacobi.x).norm(), 1e-7 * jacobi.x.norm());
  }
}

TEST_F(Hypre, elasticity_with_a_function_for_each_component) {
  const Matrix matrix = elasticity_matrix(40);
  const Eigen::VectorXd expected = random_vector(int(matrix.rows()), 1);
  const auto op = sparse(matrix);
  SolverSettings settings = settings_of(PrecondKind::hypre);
  settings.fields = {{.first_dof = 0, .components = 2}};
  const Solution multigrid = solve_system(*op, matrix * expected, settings);
  EXPECT_TRUE(multigrid.report.converged) << multigrid.report.reason;
  EXPECT_LE(multigrid.report.iterations, 40);
  EXPECT_LT((multigrid.x - expected).norm(), 1e-6 * expected.norm());
}

TEST_F(Hypre, unsymmetric_and_single_precision) {
  const Matrix matrix = cube_matrix(10, 1, 2);
  const Eigen::VectorXd expected = random_vector(int(matrix.rows()), 1);
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    const double tolerance = precision == Precision::f64 ? 1e-10 : 1e-5;
    const auto op = sparse(matrix, precision, false);
    const Solution solution =
        solve_system(*op, matrix * expected, settings_of(PrecondKind::hypre, tolerance));
    EXPECT_TRUE(solution.report.converged) << solution.report.reason;
    EXPECT_LE(solution.report.iterations, 20);
    EXPECT_LT((solution.x - expected).norm(), 100 * tolerance * expected.norm());
  }
}

TEST_F(Hypre, a_cycle_is_symmetric_and_positive) {
  const Matrix matrix = cube_matrix(8);
  const int size = int(matrix.rows());
  const auto op = sparse(matrix);
  VectorKernels kernels(test::device(), Precision::f64, size, 2, {"cg"});
  PrecondHypre precond(kernels, {}, {});
  precond.update(*op);
  EXPECT_GE(precond.setup().levels, 2);
  EXPECT_GT(precond.setup().operator_complexity, 1);
  EXPECT_LT(precond.setup().operator_complexity, 3);
  Vector z = kernels.vector("z"), scratch = kernels.vector("scratch");
  const auto applied = [&](const Eigen::VectorXd &r) {
    const Vector on_device = upload_vector(r, Precision::f64);
    return download_vector(precond.apply(on_device, z, scratch));
  };
  const Eigen::VectorXd a = random_vector(size, 1), b = random_vector(size, 2);
  const Eigen::VectorXd ma = applied(a), mb = applied(b);
  EXPECT_NEAR(ma.dot(b), a.dot(mb), 1e-12 * ma.norm() * b.norm());
  EXPECT_GT(ma.dot(a), 0);
  EXPECT_EQ(ma, applied(a));
}

TEST_F(Hypre, set_up_is_reused_over_newton_steps_when_asked) {
  const Matrix matrix = cube_matrix(10);
  const Eigen::VectorXd solution = random_vector(int(matrix.rows()), 1);
  const double a = 0.5;
  const Eigen::VectorXd b = matrix * solution + a * solution.array().cube().matrix();
  for (const bool reuse : {false, true}) {
    CubicWithMatrix op(matrix, a, b);
    SolverSettings settings = settings_of(PrecondKind::hypre, 1e-12);
    settings.newton.tolerance = 1e-12;
    settings.hypre.reuse = reuse;
    NonlinearSolver solver(op, settings);
    for (int time = 0; time < 2; ++time) {
      Vector u = upload_vector(Eigen::VectorXd::Zero(matrix.rows()), Precision::f64);
      const SolveReport report = solver.solve(u);
      EXPECT_TRUE(report.converged) << report.reason;
      EXPECT_GE(report.newton_steps, 3);
      EXPECT_EQ(report.num_setups, !reuse ? report.newton_steps : time == 0 ? 1 : 0);
      EXPECT_EQ(report.setup_seconds > 0, report.num_setups > 0);
      EXPECT_LT((download_vector(u) - solution).norm(), 1e-10 * solution.norm());
    }
    solver.forget_setup();
    Vector u = upload_vector(Eigen::VectorXd::Zero(matrix.rows()), Precision::f64);
    EXPECT_GE(solver.solve(u).num_setups, 1);
  }
}

// An operator that hands on to one of two matrices.
class Switched : public LinearOperator {
public:
  explicit Switched(SparseMatrix &first) : now(&first) {}
  std::int64_t size() const override { return now->size(); }
  Precision precision() const override { return now->precision(); }
  Device &device() override { return now->device(); }
  bool symmetric() const override { return true; }
  void apply(const Vector &x, Vector &y) override { now->apply(x, y); }
  void diagonal(Vector &d) override { now->diagonal(d); }
  const SparseMatrix *matrix() const override { return now; }
  SparseMatrix *now;
};

TEST_F(Hypre, set_up_that_serves_no_more_is_made_anew) {
  const auto first = sparse(cube_matrix(12, 1)), second = sparse(cube_matrix(12, 1000));
  Switched op(*first);
  SolverSettings settings = settings_of(PrecondKind::hypre);
  settings.hypre.reuse = true;
  const Vector b = upload_vector(random_vector(12 * 12 * 12, 1), Precision::f64);
  Vector x = upload_vector(Eigen::VectorXd::Zero(12 * 12 * 12), Precision::f64);
  const auto solve_again = [&](LinearSolver &solver) {
    solver.kernels().zero(x);
    const SolveReport report = solver.solve(b, x, settings.tolerance);
    EXPECT_TRUE(report.converged) << report.reason;
  };
  {
    LinearSolver solver(op, settings);
    solve_again(solver);
    op.now = second.get();
    solver.update();
    EXPECT_EQ(solver.num_setups(), 1);
    solve_again(solver); // takes long
    solver.update();
    EXPECT_EQ(solver.num_setups(), 2);
    solve_again(solver);
    solver.update();
    EXPECT_EQ(solver.num_setups(), 2);
  }
  op.now = first.get();
  settings.max_iterations = 20; // too few with the wrong set-up
  LinearSolver solver(op, settings);
  solve_again(solver);
  op.now = second.get();
  solver.update();
  solve_again(solver);
  EXPECT_EQ(solver.num_setups(), 2);
}

TEST_F(Hypre, needs_finite_entries_and_a_matrix) {
  Matrix matrix = cube_matrix(4);
  matrix.coeffRef(5, 5) = std::numeric_limits<double>::quiet_NaN();
  const auto op = sparse(matrix);
  const Eigen::VectorXd b = random_vector(int(matrix.rows()), 1);
  try {
    solve_system(*op, b, settings_of(PrecondKind::hypre));
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_EQ(error.diagnostic().where, "row 5, column 5");
  }
  CsrOperator without(cube_matrix(4), Precision::f64);
  EXPECT_THROW(LinearSolver(without, settings_of(PrecondKind::hypre)), Error);
}

TEST_F(Hypre, module_leaves_signals_and_output_alone) {
  testing::internal::CaptureStdout();
  const HypreModule &module = hypre_library();
  EXPECT_EQ(&module, &hypre_library());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(std::string(module.library).substr(0, 6), "hypre ");
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGINT, SIGTERM, SIGCHLD}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    Dl_info handler = {};
    if (dladdr(reinterpret_cast<void *>(action.sa_handler), &handler)) {
      const std::string library = handler.dli_fname;
      EXPECT_EQ(library.find("libopen-"), std::string::npos) << "signal " << signal << library;
      EXPECT_EQ(library.find("libmpi"), std::string::npos) << "signal " << signal << library;
    }
  }
}

} // namespace
} // namespace weft
