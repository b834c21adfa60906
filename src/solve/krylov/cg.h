// Conjugate gradients, preconditioned.
#pragma once

#include "solve/krylov/krylov.h"

namespace weft {

// For symmetric positive definite A and M. Says `indefinite` where p.Ap or r.z is not positive.
// Flexible where M varies: beta = -alpha z.Ap / rho, which is Polak and Ribiere's (Notay 2000,
// DOI 10.1137/S1064827599362314), makes the new direction conjugate to the last one whatever z is;
// where M is the same symmetric map in each iteration it is Fletcher and Reeves' up to rounding.
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
  Vector scratch_;    // of M where A p must stay: where M varies
  std::vector<double> alphas_, betas_;
};

} // namespace weft
