// Conjugate gradients, preconditioned.
#pragma once

#include "solve/krylov.h"

namespace weft {

// For symmetric positive definite A and M. Says `indefinite` where p.Ap or r.z is not positive.
class CgMethod : public KrylovMethod {
public:
  explicit CgMethod(VectorKernels &kernels) : kernels_(kernels) {}
  CycleResult run(LinearOperator &op, Preconditioner &precond, Vector &x, Vector &r,
                  const CycleGoal &goal) override;

  // The coefficients of the last run, one pair an iteration: they make Lanczos' tridiagonal matrix.
  const std::vector<double> &alphas() const { return alphas_; }
  const std::vector<double> &betas() const { return betas_; }

private:
  bool start(Preconditioner &precond, const Vector &r, const CycleGoal &goal, SolveStatus &status);

  VectorKernels &kernels_;
  Vector p_, ap_, z_; // z only where M is neither I nor diagonal
  std::vector<double> alphas_, betas_;
};

} // namespace weft
