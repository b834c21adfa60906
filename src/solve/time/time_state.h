// All that time stepping needs to go on from a time.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

// States are vectors of all dofs on the host; those of a run in f32 are exact in double.
struct TimeState {
  double time = 0;
  std::int64_t num_steps = 0; // taken so far
  // At `time`, then at the ends of the steps before: as many as the scheme looks back on.
  std::vector<std::vector<double>> states;
  // Of schemes that carry them: dt(u) and dt(dt(u)) at `time`.
  std::vector<std::vector<double>> rates;
  // steps[i]: length of the step from states[i + 1] to states[i].
  std::vector<double> steps;
  // Next step that the controller wants, before it is cut to meet a time of output; 0: none yet.
  double wanted_step = 0;
  // Load steps: the parameter at the state before, which may be larger; the sizes of the first
  // step's change of the state and of the parameter, which arc lengths are measured by.
  double time_before = 0, arc_state_scale = 0, arc_load_scale = 0;
  double previous_error = 0; // of the last step, relative to the tolerance; 0: none yet
  // Largest norm of a step's first residual: what tolerances of the steps' systems are relative to.
  double residual_scale = 0;
  // Explicit schemes: the longest step at CFL number 1 when it was last looked at, and the norm
  // that the state has grown to without doubt; 0: none yet. And the largest norm that it was seen
  // to be driven to, by what it is given: its start, prescribed values, sources.
  double unit_step = 0, trusted_norm = 0, driven_norm = 0;
  // The CFL number of steps that follow stability, and the unit step when it was found.
  double stable_cfl = 0, stable_unit_step = 0;
  std::vector<double> field_scale;                       // [field]: largest absolute value so far
  std::int64_t num_rejected = 0;                         // steps taken back
  std::int64_t num_newton_steps = 0, num_iterations = 0; // over all steps
};

} // namespace weft
