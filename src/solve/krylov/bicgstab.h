// BiCGStab, right-preconditioned: for any regular A.
#pragma once

#include "solve/krylov/krylov.h"

namespace weft {

class BicgstabMethod : public KrylovMethod {
public:
  explicit BicgstabMethod(VectorKernels &kernels) : kernels_(kernels) {}
  CycleResult run(LinearOperator &op, Preconditioner &precond, Vector &x, Vector &r,
                  const CycleGoal &goal) override;

private:
  VectorKernels &kernels_;
  Vector shadow_, p_, v_, t_, z_; // z only where M is not I
};

} // namespace weft
