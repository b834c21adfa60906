// The way of a transient problem: from its initial state, step by step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "run/settings/stop_condition.h"
#include "run/simulation.h"
#include "solve/time/stepper.h"

namespace weft {

// Explicit or implicit as the scheme is. `s` must outlive it; start() or resume() comes next.
std::unique_ptr<Stepper> make_stepper(Simulation &s, const TimeSettings &settings);

// Takes over the state of a stepper with its time; waits for the device. `s` stays as it is where
// that throws.
void take_state(Simulation &s, const Stepper &stepper);

// Takes one step of a transient problem, and leaves `s` at its start: its kernels are made.
void take_first_step(Simulation &s);

// How many times `every` has passed since the start of a transient problem.
std::int64_t intervals_passed(const Simulation &s, double every, double time);

// A transient problem on its way.
class TransientRun {
public:
  // At its initial state, or that of an earlier run. `s` must outlive it.
  explicit TransientRun(Simulation &s, const TimeState *resume = nullptr);

  Stepper &stepper() { return *stepper_; }
  // Every step so far was taken, and there are more to take.
  bool running() const { return report_.converged && !stepper_->finished(); }
  // One accepted step; what is wrong with one that is not is in report() after finish().
  void step();
  // Every accepted step, and what looks at it, is followed by this: a wave speed that the state has
  // lost shows, and, at times of output, a table that it has left.
  void judge_state();
  // Iterations of all steps.
  double iterations() const { return iterations_; }
  const SolveReport &report() const { return report_; }
  // Moves the discretisation to the stepper's time, where the steps themselves do not.
  void move_discretisation();
  // Takes over the stepper's state and time, and the report.
  void finish();

private:
  void look_for_stop();

  Simulation &s_;
  std::optional<StopCondition> stop_;
  std::unique_ptr<Stepper> stepper_;
  bool explicit_steps_;
  SolveReport report_;
  double iterations_ = 0, setup_s_ = 0;
  int setups_ = 0;
};

// Called at the start, unless a run is resumed, and after each step; the discretisation is at the
// stepper's time.
using OnStep = std::function<void(Stepper &stepper)>;

// Who looks at a transient run as it goes.
struct TransientWatch {
  OnStep on_step;
  OnStep on_interruption; // at the last good state, where the run was asked to end there
};

// Steps from the initial state, or from that of an earlier run, to the end into `state`, `solver`
// and `time`; does not throw where a step fails: `state` is then the last good one, and the reason
// names the time, and the place of what is not finite. Where `on_step` throws, `state` and `time`
// are those of the step before it does; where the device fails, those last taken over. Ends too
// where an end is asked for (base/system/interruption.h), explicit runs at a step whose state is
// checked. `progress`: draw a progress line. Explicit runs note timings.first_kernel_s, from the
// start of the process to the end of the first step.
void solve_transient(Simulation &s, bool progress, const TransientWatch &watch = {},
                     const TimeState *resume = nullptr);

} // namespace weft
