#include "solve/nonlinear/watchdog.h"

namespace weft {

namespace {

constexpr int most_steps_on_credit = 8;
constexpr double most_residual_growth = 1e5; // of the residual

} // namespace

bool Watchdog::allows(double before, double after) const {
  const double base = watches() ? norm_ : before;
  return !refuses_ && num_steps_ < most_steps_on_credit &&
         after <= most_residual_growth * base; // false for NaN
}

void Watchdog::take(const Vector &state, double before, double after, VectorKernels &kernels) {
  if (!watches() && after < before)
    return;
  if (!watches()) {
    if (!state_.buffer)
      state_ = kernels.vector("state to go back to");
    kernels.copy(state, state_);
    norm_ = before;
  }
  num_steps_ = after < norm_ ? 0 : num_steps_ + 1;
}

double Watchdog::take_back(Vector &state, VectorKernels &kernels) {
  kernels.copy(state_, state);
  num_steps_ = 0;
  refuses_ = true;
  return norm_;
}

} // namespace weft
