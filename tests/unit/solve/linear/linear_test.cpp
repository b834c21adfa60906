#include "solve/linear/linear.h"

#include <Eigen/SparseLU>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <tuple>

#include "base/hash.h"
#include "support/solve_support.h"

namespace weft {

using test::CsrOperator;
using test::download_vector;
using test::Matrix;
using test::random_vector;
using test::stencil_matrix;
using test::upload_vector;

namespace {

const char *name_of(KrylovKind kind) {
  return std::array{"cg", "bicgstab", "gmres"}[int(kind)];
}
const char *name_of(PrecondKind kind) {
  return std::array{"none", "jacobi", "chebyshev"}[int(kind)];
}

using Choice = std::tuple<KrylovKind, PrecondKind, Precision, int>;

std::string name_of_case(const testing::TestParamInfo<Choice> &info) {
  const auto [method, preconditioner, precision, size] = info.param;
  return std::string(name_of(method)) + "_" + name_of(preconditioner) + "_" + to_string(precision) +
         "_" + std::to_string(size);
}

Eigen::VectorXd host_solution(const Matrix &matrix, const Eigen::VectorXd &b) {
  const Eigen::SparseMatrix<double> by_columns = matrix;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(by_columns);
  return lu.solve(b);
}

// Iterations of CG with Jacobi from 0 until the recurrence's |r| <= tolerance |b|.
int host_cg_iterations(const Matrix &a, const Eigen::VectorXd &b, double tolerance) {
  const Eigen::VectorXd d = a.diagonal().cwiseInverse();
  Eigen::VectorXd r = b, p = d.cwiseProduct(r);
  double rho = r.dot(p);
  int iterations = 0;
  for (; r.norm() > tolerance * b.norm(); ++iterations) {
    const Eigen::VectorXd q = a * p;
    r -= rho / p.dot(q) * q;
    const Eigen::VectorXd z = d.cwiseProduct(r);
    const double next = r.dot(z);
    p = z + next / rho * p;
    rho = next;
  }
  return iterations;
}

SolveReport solve(CsrOperator &op, const Eigen::VectorXd &b, const SolverSettings &settings,
                  Eigen::VectorXd *solution = nullptr) {
  Vector rhs = upload_vector(b, op.precision());
  Vector x = upload_vector(Eigen::VectorXd::Zero(b.size()), op.precision());
  const SolveReport report = solve_linear(op, rhs, x, settings);
  if (solution)
    *solution = download_vector(x);
  return report;
}

} // namespace

class EveryMethod : public testing::TestWithParam<Choice> {};

TEST_P(EveryMethod, reaches_the_host_solution) {
  const auto [method, preconditioner, precision, size] = GetParam();
  const bool f64 = precision == Precision::f64;
  const bool symmetric = method == KrylovKind::cg;
  const Matrix matrix = stencil_matrix(size, 0.2, symmetric ? 0 : 0.3);
  const Eigen::VectorXd b = random_vector(size, 7);
  CsrOperator op(matrix, precision, symmetric);
  const SolverSettings settings = {.method = method,
                                   .preconditioner = preconditioner,
                                   .tolerance = f64 ? 1e-10 : 1e-5,
                                   .max_iterations = 1000,
                                   .restart = 20};
  Eigen::VectorXd x;
  const SolveReport report = solve(op, b, settings, &x);
  const Eigen::VectorXd expected = host_solution(matrix, b);
  EXPECT_TRUE(report.converged) << report.reason;
  EXPECT_LE(report.residual, settings.tolerance);
  EXPECT_NEAR(report.initial_residual, b.norm(), (f64 ? 1e-13 : 1e-6) * b.norm());
  EXPECT_LT((b - matrix * x).norm(), (f64 ? 1.01e-10 : 3e-5) * b.norm());
  EXPECT_LT((x - expected).norm(), (f64 ? 1e-8 : 1e-3) * expected.norm());
  ASSERT_EQ(int(report.history.size()), report.iterations + 1);
  EXPECT_EQ(report.history.front(), 1);
  EXPECT_LE(report.history.back(), settings.tolerance);
}

INSTANTIATE_TEST_SUITE_P(
    F64, EveryMethod,
    testing::Combine(testing::Values(KrylovKind::cg, KrylovKind::bicgstab, KrylovKind::gmres),
                     testing::Values(PrecondKind::none, PrecondKind::jacobi,
                                     PrecondKind::chebyshev),
                     testing::Values(Precision::f64), testing::Values(1, 31, 597, 10007)),
    name_of_case);

// The texts differ by one type, and each pair costs a compilation: every kernel once.
INSTANTIATE_TEST_SUITE_P(
    F32, EveryMethod,
    testing::Values(Choice{KrylovKind::cg, PrecondKind::chebyshev, Precision::f32, 1},
                    Choice{KrylovKind::cg, PrecondKind::chebyshev, Precision::f32, 10007},
                    Choice{KrylovKind::bicgstab, PrecondKind::jacobi, Precision::f32, 31},
                    Choice{KrylovKind::bicgstab, PrecondKind::jacobi, Precision::f32, 10007},
                    Choice{KrylovKind::gmres, PrecondKind::none, Precision::f32, 597},
                    Choice{KrylovKind::gmres, PrecondKind::none, Precision::f32, 10007}),
    name_of_case);

TEST(SolveLinear, with_the_work_groups_of_a_gpu) {
  test::GpuLikeDevice gpu(test::device());
  for (const KrylovKind method : {KrylovKind::cg, KrylovKind::gmres})
    for (const int size : {31, 10007}) {
      const Matrix matrix = stencil_matrix(size, 0.2);
      const Eigen::VectorXd b = random_vector(size, 7);
      CsrOperator op(matrix, Precision::f64, true, 0, {}, 1, gpu);
      Eigen::VectorXd x;
      const SolveReport report = solve(op, b, {.method = method}, &x);
      EXPECT_TRUE(report.converged) << report.reason;
      EXPECT_LT((b - matrix * x).norm(), 1.01e-10 * b.norm());
    }
}

TEST(SolveLinear, cg_takes_as_many_iterations_as_on_the_host) {
  for (const int size : {31, 597, 10007}) {
    const Matrix matrix = stencil_matrix(size, 0.01);
    const Eigen::VectorXd b = random_vector(size, 3);
    CsrOperator op(matrix, Precision::f64);
    const SolveReport report = solve(op, b, {.method = KrylovKind::cg, .tolerance = 1e-8});
    ASSERT_TRUE(report.converged) << report.reason;
    EXPECT_NEAR(report.iterations, host_cg_iterations(matrix, b, 1e-8), 1) << size;
  }
}

TEST(SolveLinear, chebyshev_saves_cg_iterations) {
  const Matrix matrix = stencil_matrix(10007, 1e-3);
  const Eigen::VectorXd b = random_vector(10007, 3);
  CsrOperator op(matrix, Precision::f64);
  const SolveReport jacobi = solve(op, b, {.method = KrylovKind::cg});
  const SolveReport chebyshev = solve(
      op, b,
      {.method = KrylovKind::cg, .preconditioner = PrecondKind::chebyshev, .chebyshev_degree = 4});
  ASSERT_TRUE(jacobi.converged && chebyshev.converged);
  EXPECT_LT(chebyshev.iterations, 0.4 * jacobi.iterations);
}

TEST(SolveLinear, method_follows_the_operator_where_none_is_given) {
  const Eigen::VectorXd b = random_vector(597, 3);
  CsrOperator unsymmetric(stencil_matrix(597, 0.1, 0.5), Precision::f64, false);
  const SolveReport report = solve(unsymmetric, b, {});
  EXPECT_TRUE(report.converged) << report.reason; // CG would not
}

TEST(SolveLinear, starts_from_the_given_solution_and_reports_progress) {
  const Matrix matrix = stencil_matrix(597, 0.1);
  const Eigen::VectorXd expected = random_vector(597, 1), b = matrix * expected;
  CsrOperator op(matrix, Precision::f64);
  Vector rhs = upload_vector(b, Precision::f64);
  Vector x = upload_vector(expected + 1e-3 * random_vector(597, 2), Precision::f64);
  int last = 0;
  double residual = 1;
  const SolveReport report =
      solve_linear(op, rhs, x, {.tolerance = 1e-9}, [&](int iteration, double relative) {
        EXPECT_EQ(iteration, last + 1);
        last = iteration;
        residual = relative;
      });
  EXPECT_TRUE(report.converged) << report.reason;
  EXPECT_LT(report.initial_residual, 0.1 * b.norm());
  EXPECT_EQ(last, report.iterations);
  EXPECT_LE(residual, 1e-9);
  EXPECT_LT((download_vector(x) - expected).norm(), 1e-8);
}

TEST(SolveLinear, zero_right_hand_side_needs_no_iterations) {
  CsrOperator op(stencil_matrix(31, 0), Precision::f64);
  const SolveReport report = solve(op, Eigen::VectorXd::Zero(31), {});
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(report.residual, 0);
}

// Failures are told as what they are, with the history kept.

TEST(SolveFailure, iterations_used_up) {
  for (const KrylovKind method : {KrylovKind::cg, KrylovKind::bicgstab, KrylovKind::gmres}) {
    CsrOperator op(stencil_matrix(10007, 1e-3), Precision::f64);
    const SolveReport report =
        solve(op, random_vector(10007, 1), {.method = method, .max_iterations = 13, .restart = 5});
    EXPECT_EQ(report.status, SolveStatus::max_iterations) << report.reason;
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.iterations, 13);
    EXPECT_EQ(report.history.size(), 14u);
    EXPECT_NE(report.reason.find("13 iterations"), std::string::npos) << report.reason;
  }
}

TEST(SolveFailure, cg_sees_an_indefinite_matrix) {
  for (const PrecondKind preconditioner :
       {PrecondKind::none, PrecondKind::jacobi, PrecondKind::chebyshev}) {
    CsrOperator op(stencil_matrix(597, -3), Precision::f64);
    const SolveReport report = solve(op, random_vector(597, 1),
                                     {.method = KrylovKind::cg, .preconditioner = preconditioner});
    EXPECT_EQ(report.status, SolveStatus::indefinite) << report.reason;
    EXPECT_FALSE(report.history.empty());
  }
}

TEST(SolveFailure, gmres_solves_what_cg_refuses) {
  const Matrix matrix = stencil_matrix(31, -3);
  CsrOperator op(matrix, Precision::f64);
  const SolveReport report =
      solve(op, random_vector(31, 1), {.method = KrylovKind::gmres, .restart = 31});
  EXPECT_TRUE(report.converged) << report.reason;
}

TEST(SolveFailure, nan_and_infinity_in_the_right_hand_side) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (const KrylovKind method : {KrylovKind::cg, KrylovKind::bicgstab, KrylovKind::gmres}) {
      Eigen::VectorXd b = random_vector(597, 1);
      b[300] = bad;
      CsrOperator op(stencil_matrix(597, 0.1), Precision::f64);
      const SolveReport report = solve(op, b, {.method = method});
      EXPECT_EQ(report.status, SolveStatus::not_finite) << report.reason;
      EXPECT_EQ(report.iterations, 0);
    }
}

TEST(SolveFailure, nan_in_the_matrix_leaves_the_solution_finite) {
  Matrix matrix = stencil_matrix(597, 0.1);
  matrix.coeffRef(300, 300) = std::nan("");
  for (const KrylovKind method : {KrylovKind::cg, KrylovKind::bicgstab, KrylovKind::gmres}) {
    CsrOperator op(matrix, Precision::f64);
    Eigen::VectorXd x;
    const SolveReport report = solve(op, random_vector(597, 1), {.method = method}, &x);
    EXPECT_EQ(report.status, SolveStatus::not_finite) << report.reason;
    EXPECT_TRUE(x.allFinite());
  }
}

TEST(SolveFailure, singular_system_without_a_solution) {
  // A Laplacian with constants in its null space, and a right-hand side that is not orthogonal.
  Matrix matrix(31, 31);
  for (int i = 0; i < 31; ++i) {
    matrix.insert(i, (i + 30) % 31) = -1;
    matrix.insert(i, i) = 2;
    matrix.insert(i, (i + 1) % 31) = -1;
  }
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(31) + 0.1 * random_vector(31, 1);
  for (const KrylovKind method : {KrylovKind::cg, KrylovKind::bicgstab, KrylovKind::gmres}) {
    CsrOperator op(matrix, Precision::f64);
    const SolveReport report = solve(op, b, {.method = method, .max_iterations = 500});
    EXPECT_FALSE(report.converged);
    EXPECT_GT(report.residual, 0.5);
    EXPECT_FALSE(report.reason.empty());
  }
}

// One cause for each failure: what is singular, what is scaled too badly, too few vectors.
TEST(SolveFailure, names_the_cause) {
  constexpr int size = 60;
  Matrix ring(size, size), shift(size, size);
  for (int i = 0; i < size; ++i) {
    ring.insert(i, (i + size - 1) % size) = -1;
    ring.insert(i, i) = 2;
    ring.insert(i, (i + 1) % size) = -1;
    shift.insert(i, (i + 1) % size) = 1;
    shift.insert(i, i) = 1e-30; // zeros are not looked at
  }
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(size) + 0.1 * random_vector(size, 1);
  const auto reason_of = [&](const Matrix &matrix, const SolverSettings &settings) {
    CsrOperator op(matrix, Precision::f64, false);
    const SolveReport report = solve(op, b, settings);
    EXPECT_FALSE(report.converged);
    return report.reason;
  };
  SolverSettings settings{.method = KrylovKind::gmres, .max_iterations = 500};
  settings.may_enlarge_restart = true;
  const std::string singular = reason_of(ring, settings);
  EXPECT_NE(singular.find("the matrix is singular"), std::string::npos) << singular;
  EXPECT_EQ(singular.find("restart"), std::string::npos) << singular;
  Matrix scaled(size, size); // the ring, but for two rows by themselves
  for (int i = 0; i < size; ++i) {
    const bool apart = i >= size - 2;
    scaled.insert(i, i) = !apart ? 2 : i == size - 2 ? 1e15 : 1e-2;
    if (apart)
      continue;
    scaled.insert(i, (i + size - 3) % (size - 2)) = -1;
    scaled.insert(i, (i + 1) % (size - 2)) = -1;
  }
  const std::string badly = reason_of(scaled, settings);
  EXPECT_NE(badly.find("ranges over a factor of 1e+17"), std::string::npos) << badly;
  SolverSettings few{
      .method = KrylovKind::gmres, .preconditioner = PrecondKind::none, .restart = 5};
  const std::string short_cycles = reason_of(shift, few);
  EXPECT_NE(short_cycles.find("5 vectors are too few"), std::string::npos) << short_cycles;
}

// A cyclic shift needs as many vectors as it has rows: shorter cycles bring nothing at all.
TEST(SolveGmres, makes_its_cycles_longer_where_that_is_not_ruled_out) {
  constexpr int size = 150;
  Matrix shift(size, size);
  for (int i = 0; i < size; ++i)
    shift.insert(i, (i + 1) % size) = 1;
  for (int i = 0; i < size; ++i)
    shift.insert(i, i) = 0;
  CsrOperator op(shift, Precision::f64, false);
  const Eigen::VectorXd b = Eigen::VectorXd::Unit(size, 0);
  SolverSettings settings{.method = KrylovKind::gmres, .preconditioner = PrecondKind::none};
  EXPECT_EQ(solve(op, b, settings).status, SolveStatus::stagnated);
  settings.may_enlarge_restart = true;
  const SolveReport report = solve(op, b, settings);
  EXPECT_TRUE(report.converged) << report.reason;
  EXPECT_EQ(report.iterations, 50 + 100 + 150);
  settings.restart = 10; // 80 at most
  EXPECT_FALSE(solve(op, b, settings).converged);
}

TEST(SolveFailure, tolerance_below_rounding_stagnates) {
  for (const KrylovKind method : {KrylovKind::cg, KrylovKind::bicgstab, KrylovKind::gmres}) {
    CsrOperator op(stencil_matrix(10007, 0.1), Precision::f32);
    const SolveReport report =
        solve(op, random_vector(10007, 1),
              {.method = method, .tolerance = 1e-12, .max_iterations = 2000});
    EXPECT_EQ(report.status, SolveStatus::stagnated) << name_of(method) << ": " << report.reason;
    EXPECT_LT(report.residual, 1e-4);
    EXPECT_GT(report.residual, 1e-12);
  }
}

// The same bits on every run and with any number of threads.

TEST(SolveDeterminism, prints_the_bits_of_its_solutions) {
  std::string bits;
  for (const KrylovKind method : {KrylovKind::cg, KrylovKind::bicgstab, KrylovKind::gmres}) {
    CsrOperator op(stencil_matrix(50021, 0.1), Precision::f64);
    Eigen::VectorXd first, second;
    const Eigen::VectorXd b = random_vector(50021, 5);
    const SolverSettings settings = {.method = method, .restart = 10};
    const SolveReport one = solve(op, b, settings, &first);
    const SolveReport two = solve(op, b, settings, &second);
    ASSERT_TRUE(one.converged) << one.reason;
    EXPECT_EQ(first, second);
    EXPECT_EQ(one.history, two.history);
    bits.append(reinterpret_cast<const char *>(first.data()), first.size() * sizeof(double));
  }
  std::printf("bits %s\n", hash_hex(bits).c_str());
}

TEST(SolveDeterminism, threads_do_not_change_the_bits) {
  const auto bits_with = [](int threads) {
    const std::string command =
        "WEFT_TEST_THREADS=" + std::to_string(threads) +
        " /proc/self/exe --gtest_filter=SolveDeterminism.prints_the_bits_of_its_solutions";
    // The shell would be /proc/self/exe in the command, so the program is named by its path.
    std::array<char, 4096> path{};
    EXPECT_NE(realpath("/proc/self/exe", path.data()), nullptr);
    std::string named = command;
    named.replace(named.find("/proc/self/exe"), 14, path.data());
    FILE *output = popen(named.c_str(), "r");
    EXPECT_NE(output, nullptr);
    std::string bits;
    std::array<char, 256> line{};
    while (std::fgets(line.data(), line.size(), output))
      if (std::string(line.data()).starts_with("bits "))
        bits = line.data();
    EXPECT_EQ(pclose(output), 0);
    return bits;
  };
  const std::string one = bits_with(1);
  EXPECT_EQ(one.size(), 38u);
  EXPECT_EQ(one, bits_with(2));
}

} // namespace weft
