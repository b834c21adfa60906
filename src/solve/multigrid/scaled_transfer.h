// Between vectors of a solver and the scaled unknowns of a level, in a lower precision.
#pragma once

#include "linalg/levels/level_operator.h"
#include "linalg/vector_kernels.h"

namespace weft {

// With S the level's scaling: A z = r is (S A S) (S^-1 z) = S r. What goes in is divided by its
// largest entry, what comes out multiplied by it, on the device; among ranks that of all.
class ScaledTransfer {
public:
  // `outer` must outlive the transfer, and so must the level's scaling.
  ScaledTransfer(VectorKernels &outer, const LevelOperator &level);
  // low = S r / max |S r|
  void enter(const Vector &r, Vector &low);
  // z = S low times the maximum of the last enter().
  void leave(const Vector &low, Vector &z);

private:
  void take_factor_of_ranks();

  VectorKernels &outer_;
  Program program_;
  Vector scaling_; // [entry]; without a buffer: the identity
  Buffer largest_, factor_;
};

} // namespace weft
