// Checkpoints of a transient run, and going on from one.
#pragma once

#include <optional>
#include <string>

#include "output/canonical_order.h"
#include "output/checkpoint.h"
#include "run/simulation.h"
#include "run/transient_output.h"
#include "solve/time/stepper.h"

namespace weft {

// Writes <folder>/checkpoint.h5 every [output] checkpoint_every of time, at the end of the step
// that reaches it (steps are not cut for it) or the next one whose state is checked, and at the end
// of the run; not at all without that key. Ranks that share the run call all of it at the same
// steps; the first one writes.
class RunCheckpoints {
public:
  // `s` must outlive it. `start`: the time at which this run begins. Errors: unsupported (see
  // CanonicalOrder).
  RunCheckpoints(const Simulation &s, const std::string &folder, double start);

  // After each step and its output. Errors: system (the disk is full, ...).
  void after_step(Stepper &stepper, const TransientOutput &output);
  // Where the run ends before its time: a last one, whatever the interval.
  void at_interruption(Stepper &stepper, const TransientOutput &output);
  // The file, where one was written.
  std::optional<std::string> file() const;

private:
  std::int64_t interval(double time) const;
  void write(Stepper &stepper, const TransientOutput &output);

  const Simulation &s_;
  std::string path_;
  std::optional<CanonicalOrder> order_; // where checkpoints are asked for
  CheckpointIdentity identity_;
  std::int64_t last_ = 0; // interval of time in which the last one was written
  bool written_ = false;
};

// All: reads a checkpoint and checks that it is of this case; with `force` parameters, equations
// and values may be others. The states are those of this rank. Errors: input; unsupported (see
// CanonicalOrder).
Checkpoint read_restart(const std::string &path, const Simulation &s, bool force);

} // namespace weft
