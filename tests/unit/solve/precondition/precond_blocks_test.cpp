// Blocks one after the other, against factors of the whole.
#include "solve/precondition/precond_blocks.h"

#include <Eigen/Dense>
#include <cstdlib>
#include <gtest/gtest.h>

#include "solve/linear/linear.h"
#include "support/solve_support.h"

namespace weft {

using test::Matrix;
using test::random_vector;
using test::solve_system;
using test::sparse;
using test::stencil_matrix;

namespace {

// [A C; D B] of two stencils of `size` rows.
Matrix coupled_matrix(int size, double upper, double lower) {
  std::vector<Eigen::Triplet<double>> entries;
  const Matrix a = stencil_matrix(size, 0.1), b = stencil_matrix(size, 1);
  for (int row = 0; row < size; ++row) {
    for (Matrix::InnerIterator e(a, row); e; ++e)
      entries.emplace_back(row, int(e.col()), e.value());
    for (Matrix::InnerIterator e(b, row); e; ++e)
      entries.emplace_back(size + row, size + int(e.col()), e.value());
    entries.emplace_back(row, size + row, upper);
    entries.emplace_back(size + row, row, lower);
  }
  Matrix matrix(2 * size, 2 * size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

SolverSettings block_settings(int size, BlockSolver solver, std::vector<int> order) {
  SolverSettings settings{
      .method = KrylovKind::gmres, .preconditioner = PrecondKind::blocks, .tolerance = 1e-10};
  for (const int block : order)
    settings.blocks.push_back({.name = block == 0 ? "a" : "b",
                               .dofs = {block * std::int64_t{size}, size},
                               .solver = solver});
  return settings;
}

SolveReport solve_by_blocks(const Matrix &matrix, const SolverSettings &settings) {
  setenv("WEFT_MODULE_DIR", WEFT_MODULE_DIR, 0);
  const auto op = sparse(matrix, Precision::f64, false);
  const Eigen::VectorXd expected = random_vector(int(matrix.rows()), 1);
  const auto [report, x] = solve_system(*op, matrix * expected, settings);
  EXPECT_TRUE(report.converged) << report.reason;
  EXPECT_LT((x - expected).norm(), 1e-6 * expected.norm());
  return report;
}

TEST(PrecondBlocks, AreExactWhereOneDrivesTheOther) {
  // The second unknowns do not see the first ones: solved before them, nothing is left to iterate.
  const Matrix one_way = coupled_matrix(700, 2, 0);
  const auto iterations = [&](std::vector<int> order) {
    return solve_by_blocks(one_way, block_settings(700, BlockSolver::direct, std::move(order)))
        .iterations;
  };
  EXPECT_EQ(iterations({1, 0}), 1);
  EXPECT_EQ(iterations({0, 1}), 2);
}

TEST(PrecondBlocks, EverySolverServes) {
  const Matrix both_ways = coupled_matrix(900, 0.5, -0.4);
  for (const BlockSolver solver :
       {BlockSolver::multigrid, BlockSolver::chebyshev, BlockSolver::jacobi, BlockSolver::direct}) {
    const SolveReport report = solve_by_blocks(both_ways, block_settings(900, solver, {0, 1}));
    EXPECT_LE(report.iterations, solver == BlockSolver::jacobi ? 200 : 60) << int(solver);
    EXPECT_EQ(report.levels.empty(), solver != BlockSolver::multigrid);
  }
}

// [F B^T; B 0] with F a multiple of the weights: then the commutator is the inverse of the Schur
// complement, and with the other block solved exactly two iterations are left. One constraint sees
// nothing, as a prescribed pressure does.
TEST(PrecondBlocks, ACommutatorIsExactForAMassMatrix) {
  constexpr int size = 400, constraints = 60;
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> inverse_mass(size);
  for (int row = 0; row < size; ++row) {
    const double mass = 1 + 0.5 * (row % 3);
    inverse_mass[row] = 1 / mass;
    entries.emplace_back(row, row, 7 * mass);
  }
  for (int c = 0; c < constraints; ++c) {
    entries.emplace_back(size + c, size + c, c == 5 ? 4 : 0);
    for (const int i : {2 * c, 2 * c + 1, (7 * c + 3) % size}) {
      const double value = c == 5 ? 0 : 1 + 0.1 * (i % 7);
      entries.emplace_back(size + c, i, -value);
      entries.emplace_back(i, size + c, value);
    }
  }
  Matrix matrix(size + constraints, size + constraints);
  matrix.setFromTriplets(entries.begin(), entries.end());
  SolverSettings settings{
      .method = KrylovKind::gmres, .preconditioner = PrecondKind::blocks, .tolerance = 1e-9};
  settings.blocks = {{.name = "p",
                      .dofs = {size, constraints},
                      .solver = BlockSolver::commutator,
                      .constrained = {0, size},
                      .inverse_mass = inverse_mass},
                     {.name = "u", .dofs = {0, size}, .solver = BlockSolver::direct}};
  settings.blocks[0].multigrid.precisions = {Precision::f64};
  EXPECT_LE(solve_by_blocks(matrix, settings).iterations, 5); // products are rounded to f32
}

// [A B^T; B 0] with the exact Schur complement in place of the second block: two iterations
// (Murphy, Golub, Wathen 2000, DOI 10.1137/S1064827599355153), and what rounding adds.
TEST(PrecondBlocks, ASchurComplementLeavesTwoIterations) {
  constexpr int size = 400, constraints = 60;
  const Matrix a = stencil_matrix(size, 0.1);
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(constraints, size);
  for (int c = 0; c < constraints; ++c) {
    entries.emplace_back(size + c, size + c, 0);
    for (int other = 0; other < constraints; ++other) // the pattern of the complement
      if (other != c)
        entries.emplace_back(size + c, size + other, 0);
    for (const int i : {2 * c, 2 * c + 1, (7 * c + 3) % size}) {
      b(c, i) += 1 + 0.1 * i;
      entries.emplace_back(size + c, i, 1 + 0.1 * i);
      entries.emplace_back(i, size + c, 1 + 0.1 * i);
    }
  }
  for (int row = 0; row < size; ++row)
    for (Matrix::InnerIterator e(a, row); e; ++e)
      entries.emplace_back(row, int(e.col()), e.value());
  Matrix matrix(size + constraints, size + constraints);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::MatrixXd complement = b * Eigen::MatrixXd(a).ldlt().solve(b.transpose());

  SolverSettings settings{
      .method = KrylovKind::gmres, .preconditioner = PrecondKind::blocks, .tolerance = 1e-9};
  settings.blocks = {{.name = "p",
                      .dofs = {size, constraints},
                      .solver = BlockSolver::direct,
                      .replacement =
                          [&](LinearOperator &, const HostMatrix &own) {
                            HostMatrix schur = own;
                            for (int row = 0; row < constraints; ++row)
                              for (auto e = own.row_start[row]; e < own.row_start[row + 1]; ++e)
                                schur.values[e] = complement(row, own.columns[e]);
                            return schur;
                          },
                      .sign = -1},
                     {.name = "u", .dofs = {0, size}, .solver = BlockSolver::direct}};
  EXPECT_LE(solve_by_blocks(matrix, settings).iterations, 4);
}

} // namespace
} // namespace weft
