// Whole Newton steps that raise the residual, taken on credit: the way of slender bodies to their
// solution leads over a hundredfold of it, and whole steps are the fastest (the watchdog technique,
// Chamberlain, Powell, Lemarechal and Pedersen 1982, DOI 10.1007/BFb0120945).
#pragma once

#include "linalg/vector_kernels.h"

namespace weft {

class Watchdog {
public:
  // Of a new solve.
  void reset() { *this = {}; }
  // Steps that raise the residual are out, which has to fall below `norm_to_beat()` in the end.
  bool watches() const { return num_steps_ > 0; }
  double norm_to_beat() const { return norm_; }
  // Whether a step from a residual of norm `before` to one of `after` may be taken.
  bool allows(double before, double after) const;
  // Notes a step that is taken, from a state with a residual of norm `before`.
  void take(const Vector &state, double before, double after, VectorKernels &kernels);
  // Goes back to the state from which the credit was given, and gives none any more. The residual's
  // norm there.
  double take_back(Vector &state, VectorKernels &kernels);
  // Steps since then.
  int num_steps() const { return num_steps_; }

private:
  int num_steps_ = 0;
  bool refuses_ = false;
  double norm_ = 0;
  Vector state_;
};

} // namespace weft
