// A Chebyshev polynomial of the Jacobi-scaled operator.
#pragma once

#include "solve/preconditioner.h"

namespace weft {

// z = p(D^-1 A) D^-1 r, where p has `degree` terms and 1 - t p(t) is the smallest possible on
// [fraction*largest, 1.1*largest]; the largest eigenvalue of D^-1 A is estimated at every update().
// Symmetric positive definite if A is.
class PrecondChebyshev : public Preconditioner {
public:
  // `fraction`: of the largest eigenvalue, down to which others count: by default what a polynomial
  // of few terms can reach.
  PrecondChebyshev(VectorKernels &kernels, int degree, double fraction = 1. / 30);
  void update(LinearOperator &op) override;
  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;

  double largest_eigenvalue() const { return largest_; }

private:
  VectorKernels &kernels_;
  PrecondJacobi jacobi_;
  int degree_;
  double fraction_;
  LinearOperator *op_ = nullptr; // as of update(); must outlive the use
  Vector w_;
  double largest_ = 1;
};

} // namespace weft
