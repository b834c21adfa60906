#include "solve/multigrid/inner_solver.h"

#include <algorithm>
#include <utility>

#include "solve/krylov/cg.h"
#include "solve/krylov/chebyshev.h"
#include "solve/krylov/largest_eigenvalue.h"

namespace weft {

namespace {

// Bounds the largest eigenvalue of D^-1 A, as far as an estimate can.
double bound_of_eigenvalues(VectorKernels &kernels, LevelOperator &level, bool symmetric) {
  return eigenvalue_safety * estimate_largest_eigenvalue(kernels, level, symmetric);
}

// Polynomials in D^-1 A, by steps that the level has fused with its product.
class PolynomialSolver : public InnerSolver {
public:
  PolynomialSolver(VectorKernels &kernels, LevelOperator &level)
      : level_(level), x_(kernels.vector("inner solution")),
        next_(kernels.vector("next inner solution")), w_(kernels.vector("inner correction")) {}

protected:
  // x = 0 before the first step.
  void take(const Vector &b, SmootherStep step, bool is_first) {
    step.reads_x = !is_first;
    level_.smooth(b, x_, w_, next_, step);
    std::swap(x_, next_);
  }

  LevelOperator &level_;
  Vector x_, next_, w_;
};

// Jacobi's method, relaxed so that it converges for every symmetric positive definite A.
class InnerJacobi : public PolynomialSolver {
public:
  InnerJacobi(VectorKernels &kernels, LevelOperator &level, bool symmetric)
      : PolynomialSolver(kernels, level),
        omega_(std::min(1.0, 2 / bound_of_eigenvalues(kernels, level, symmetric))) {}
  const Vector &solve(const Vector &b, int iterations) override {
    for (int i = 0; i < iterations; ++i)
      take(b, {.c1 = 0, .c2 = omega_, .reads_w = false, .keeps_w = false}, i == 0);
    return x_;
  }

private:
  double omega_;
};

// The Chebyshev iteration on [largest / share, largest], where m steps reduce what lies in it by
// about 2 exp(-2 m / sqrt(share)): the share grows with m so that this stays the same number, and
// what lies below is reduced as far as so many steps can.
class InnerChebyshev : public PolynomialSolver {
public:
  InnerChebyshev(VectorKernels &kernels, LevelOperator &level, bool symmetric)
      : PolynomialSolver(kernels, level),
        largest_(bound_of_eigenvalues(kernels, level, symmetric)) {}
  const Vector &solve(const Vector &b, int iterations) override {
    const double share = std::max(4.0, 0.8 * iterations * iterations);
    const std::vector<SmootherStep> steps = chebyshev_steps(largest_ / share, largest_, iterations);
    for (std::size_t i = 0; i < steps.size(); ++i)
      take(b, steps[i], i == 0);
    return x_;
  }

private:
  double largest_;
};

// Conjugate gradients; the level's scaling has preconditioned it.
class InnerCg : public InnerSolver {
public:
  InnerCg(VectorKernels &kernels, LevelOperator &level)
      : kernels_(kernels), op_(kernels.device(), level, true), method_(kernels),
        x_(kernels.vector("inner solution")), r_(kernels.vector("inner residual")) {}
  const Vector &solve(const Vector &b, int iterations) override {
    kernels_.zero(x_);
    kernels_.copy(b, r_);
    PrecondNone none;
    const double norm = kernels_.norm(b);
    if (norm > 0)
      method_.run(op_, none, x_, r_,
                  {.residual_norm = norm,
                   .target_norm = 0,
                   .max_iterations = iterations,
                   .on_iteration = [](double) {}});
    return x_;
  }

private:
  VectorKernels &kernels_;
  LevelAsOperator op_;
  CgMethod method_;
  Vector x_, r_;
};

} // namespace

double estimate_largest_eigenvalue(VectorKernels &kernels, LevelOperator &level, bool symmetric) {
  LevelAsOperator op(kernels.device(), level, symmetric);
  PrecondJacobi jacobi(kernels);
  jacobi.update(op);
  return estimate_largest_eigenvalue(op, kernels, jacobi);
}

std::set<std::string> inner_kernel_parts(InnerKind method, bool symmetric) {
  if (method == InnerKind::cg)
    return {"cg"};
  return {"jacobi", symmetric ? "cg" : "gmres"}; // to estimate the largest eigenvalue
}

int inner_kernel_sums() {
  return num_lanczos_steps + 2;
}

std::unique_ptr<InnerSolver> make_inner_solver(InnerKind method, VectorKernels &kernels,
                                               LevelOperator &level, bool symmetric) {
  switch (method) {
  case InnerKind::jacobi:
    return std::make_unique<InnerJacobi>(kernels, level, symmetric);
  case InnerKind::chebyshev:
    return std::make_unique<InnerChebyshev>(kernels, level, symmetric);
  case InnerKind::cg:
    return std::make_unique<InnerCg>(kernels, level);
  }
  return nullptr;
}

} // namespace weft
