// Defect correction (iterative refinement) with a solver in low precision.
#pragma once

#include "solve/krylov/krylov.h"

namespace weft {

// x = x + omega M^-1 (b - A x): the defect and the update are in the operator's precision, M^-1 in
// any lower one, scaled by the defect's largest entry (see ScaledTransfer). For any A whose M^-1
// reduces the error: |1 - omega M^-1 A| < 1, which in low precision asks for condition numbers
// below about the inverse of its unit of rounding (Carson and Higham 2018, DOI 10.1137/17M1140819).
// As in Goeddeke's scheme everything stays on the device but for a look at the scalars every few
// steps. One run is a cycle of at most `most_corrections`.
class DefectCorrectionMethod : public KrylovMethod {
public:
  DefectCorrectionMethod(VectorKernels &kernels, double damping)
      : kernels_(kernels), damping_(damping) {}
  CycleResult run(LinearOperator &op, Preconditioner &precond, Vector &x, Vector &r,
                  const CycleGoal &goal) override;

  static constexpr int most_corrections = 100;

private:
  VectorKernels &kernels_;
  double damping_;
  Vector z_, q_;
};

} // namespace weft
