// What the steppers through time have in common.
#pragma once

#include <vector>

#include "linalg/vector.h"
#include "solve/report.h"
#include "solve/time/time_settings.h"
#include "solve/time/time_state.h"

namespace weft {

class Stepper {
public:
  virtual ~Stepper() = default;

  // Begins at settings.start; start() or resume() comes first.
  virtual void start(const std::vector<double> &state) = 0;
  // Goes on from a state of an earlier run: gives the bits that that run would have given.
  virtual void resume(const TimeState &state) = 0;
  // One accepted step. Where it fails the report is not converged, and the state is the last one
  // known to be good.
  virtual SolveReport step(const SolveProgress &progress = {}) = 0;

  bool finished() const { return state_.time >= settings_.end(); }
  double time() const { return state_.time; }
  // The run ends where it is, as if at its last time of output.
  void end_here();
  virtual bool at_stop() const;
  // The state is known to be good: it may be kept to go on from.
  virtual bool checked() const { return true; }
  // The state grew so much in the last step, or those before that it was checked with, that it
  // should be looked at.
  virtual bool grew() const { return false; }
  // How far it has come: all of state() but the states.
  const TimeState &progress() const { return state_; }
  // For a restart; waits for the device.
  virtual TimeState state() const = 0;
  // The state at time(); waits.
  virtual std::vector<double> solution() const = 0;
  // Its time derivatives, dt() and dt(dt()), of schemes that carry them; waits.
  virtual std::vector<std::vector<double>> rates() const { return {}; }
  // The state on the device, in the order of an ExplicitOperator; null where it has another.
  virtual const Vector *device_state() const { return nullptr; }
  // After a checkpoint: so that later steps do not depend on what was set up before it.
  virtual void forget_setup() {}
  // Whether the next step depends on something that earlier ones have set up.
  virtual bool holds_setup() const { return false; }

protected:
  explicit Stepper(TimeSettings settings) : settings_(std::move(settings)) {}

  TimeSettings settings_;
  TimeState state_; // but the states
};

} // namespace weft
