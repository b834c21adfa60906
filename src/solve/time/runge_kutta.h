// Explicit Runge-Kutta schemes as data: what each stage evaluates and how it updates the state.
#pragma once

#include <optional>
#include <vector>

#include "linalg/operator.h"
#include "solve/time/time_settings.h"

namespace weft {

struct RungeKuttaStage {
  double time = 0; // the stage evaluates L at t + time * h
  StageUpdate update;
};

// A solution of lower order out of what the last step left: start q_0 + stage q_i, with q_i the
// state after stage i of the step.
struct EmbeddedSolution {
  int order = 0;
  int stage = 0; // i, counted from 0
  double start_weight = 0;
  double stage_weight = 0;
};

struct RungeKutta {
  int order = 0;
  std::vector<RungeKuttaStage> stages;
  std::optional<EmbeddedSolution> embedded;

  bool uses_start() const; // some stage reads the state at the start of the step
  bool uses_sum() const;
};

// lsrk4: five stages, order 4, in two registers (Carpenter and Kennedy 1994, NASA TM 109112).
// rk4: the classical one, order 4, with its weighted sum of slopes kept in `sum`.
// ssprk3: three stages, order 3, strong-stability preserving up to the step of forward Euler (Shu
// and Osher 1988, doi:10.1016/0021-9991(88)90177-5); 2 q_2 - q_0, with q_2 the state after the
// second stage, is Heun's solution of order 2.
// euler: forward Euler. Per evaluation its stable steps along the negative real axis are 2.4 times
// those of ssprk3.
// `scheme`: one of these.
RungeKutta make_runge_kutta(TimeScheme scheme);

} // namespace weft
