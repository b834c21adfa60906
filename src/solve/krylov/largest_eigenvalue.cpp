#include "solve/krylov/largest_eigenvalue.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Eigenvalues>

#include "linalg/start_vector.h"
#include "solve/krylov/cg.h"
#include "solve/krylov/gmres.h"

namespace weft {

namespace {

// CG's coefficients make the tridiagonal matrix of Lanczos' method for D^-1/2 A D^-1/2 (Saad,
// Iterative Methods for Sparse Linear Systems, 2nd edition, section 6.7.3).
double largest_of_lanczos(const std::vector<double> &alphas, const std::vector<double> &betas) {
  const int n = int(alphas.size());
  Eigen::VectorXd diagonal(n), off_diagonal(std::max(n - 1, 0));
  for (int i = 0; i < n; ++i)
    diagonal[i] = 1 / alphas[i] + (i > 0 ? betas[i - 1] / alphas[i - 1] : 0);
  for (int i = 0; i + 1 < n; ++i)
    off_diagonal[i] = std::sqrt(betas[i]) / alphas[i];
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(diagonal, off_diagonal, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().maxCoeff();
}

} // namespace

double estimate_largest_eigenvalue(LinearOperator &op, VectorKernels &kernels,
                                   PrecondJacobi &jacobi) {
  Vector x = kernels.vector("eigenvalue estimate");
  Vector r = kernels.vector("eigenvalue estimate");
  kernels.zero(x);
  set_vector(kernels.device(), r, start_vector(kernels.size(), 1));
  const double norm = kernels.norm(r);
  // Far enough above rounding for the last coefficients to mean something.
  const double accuracy = kernels.precision() == Precision::f64 ? 1e-8 : 1e-3;
  const CycleGoal goal = {.residual_norm = norm,
                          .target_norm = accuracy * norm,
                          .max_iterations = num_lanczos_steps,
                          .on_iteration = [](double) {}};
  double largest = 0;
  if (op.symmetric()) {
    CgMethod cg(kernels);
    cg.run(op, jacobi, x, r, goal);
    if (!cg.alphas().empty())
      largest = largest_of_lanczos(cg.alphas(), cg.betas());
  } else {
    GmresMethod gmres(kernels, num_lanczos_steps);
    const int steps = gmres.run(op, jacobi, x, r, goal).iterations;
    const Eigen::MatrixXd h = gmres.hessenberg().topRows(steps);
    if (steps > 0 && h.allFinite())
      largest = h.eigenvalues().cwiseAbs().maxCoeff();
  }
  // Without an estimate (NaN, an indefinite matrix) the method itself says what is wrong.
  return std::isfinite(largest) && largest > 0 ? largest : 1;
}

} // namespace weft
