// The way of a transient problem: from its initial state, step by step.
#pragma once

#include <functional>

#include "app/simulation.h"
#include "solve/time_stepper.h"

namespace weft {

// Called at the start, unless a run is resumed, and after each step; the discretisation is at the
// stepper's time.
using OnStep = std::function<void(TimeStepper &stepper)>;

// Steps from the initial state, or from that of an earlier run, to the end into `state`, `solver`
// and `time`; does not throw where a step fails: `state` is then the last good one, and the reason
// names the time. `progress`: draw a progress line.
void solve_transient(Simulation &s, bool progress, const OnStep &on_step = {},
                     const TimeState *resume = nullptr);

} // namespace weft
