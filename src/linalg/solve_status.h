// How a solve stands, or ended.
#pragma once

namespace weft {

// The first five also live on the device, as STATUS_x in kernels/vector.
enum class SolveStatus {
  running, // the end of a cycle that neither converged nor failed; never in a report
  converged,
  not_finite, // NaN or infinity met
  indefinite, // CG: p.Ap <= 0 or r.z <= 0
  breakdown,  // BiCGStab: a division by zero that a restart did not mend; GMRES: singular
  max_iterations,
  stagnated,        // the true residual does not follow: rounding, or too short a restart
  diverged,         // the residual grew by `divergence_factor`
  no_step_accepted, // however short, along Newton's direction
  wrong_jacobian,   // the check against differences failed
  step_too_small,   // of time: no step keeps the tolerance
  no_load_step,     // however short, from the last solution
  unstable,         // of time: the steps are too long for an explicit scheme
  no_wave_speed,    // an explicit step has no bound
  unbounded,        // of time: an explicit state grows by itself, beyond all that it was given
  bad_wave_speed,   // of a law: it is negative or not finite
  outside_table,    // the solution needs a table beyond its rows
  step_lost,        // of time: a step below the rounding of the time, or far too many of them
  interrupted,      // asked to end (base/system/interruption.h)
};

inline constexpr double divergence_factor = 1e8;

} // namespace weft
