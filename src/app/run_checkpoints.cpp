#include "app/run_checkpoints.h"

#include "app/transient.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"

namespace weft {

namespace {

// The scheme as far as a state of it can't be gone on from with another.
std::string scheme_name(const TimeSpec &time) {
  return time.scheme == "theta" ? "theta " + format_real(time.theta) : time.scheme;
}

CheckpointIdentity identity_of(const Simulation &s) {
  return checkpoint_identity(s.c, s.discretisation, scheme_name(*s.c.time));
}

} // namespace

RunCheckpoints::RunCheckpoints(const Simulation &s, const std::string &folder, double start)
    : s_(s), path_(folder + "/checkpoint.h5") {
  if (!s.c.output.checkpoint_every)
    return;
  identity_ = identity_of(s);
  last_ = interval(start);
}

std::int64_t RunCheckpoints::interval(double time) const {
  return intervals_passed(s_, *s_.c.output.checkpoint_every, time);
}

void RunCheckpoints::after_step(Stepper &stepper, const TransientOutput &output) {
  if (!s_.c.output.checkpoint_every)
    return;
  const std::int64_t now = interval(stepper.time());
  if ((now <= last_ && !stepper.finished()) || !stepper.checked())
    return;
  write_checkpoint(path_, {.identity = identity_,
                           .state = stepper.state(),
                           .texts = output.texts(),
                           .first_times = output.first_times(stepper.time())});
  // A run that goes on from here has to set up everything anew, so this one does too.
  stepper.forget_setup();
  last_ = now;
  written_ = true;
  log::debug("checkpoint at time {} in {}", format_real(stepper.time()), path_);
}

std::optional<std::string> RunCheckpoints::file() const {
  return written_ ? std::optional(path_) : std::nullopt;
}

Checkpoint read_restart(const std::string &path, const Simulation &s) {
  if (!s.c.time)
    throw Error(ErrorKind::input, {.what = "--restart with a case that does not depend on time",
                                   .where = s.c.file,
                                   .remedy = "leave --restart out, or add [time] to the case"});
  Checkpoint checkpoint = read_checkpoint(path);
  check_belongs(path, checkpoint, identity_of(s));
  if (checkpoint.state.time >= s.c.time->end)
    throw Error(ErrorKind::input, {.what = "the checkpoint is at the end of the run already",
                                   .where = path,
                                   .found = "time " + format_real(checkpoint.state.time),
                                   .allowed = "before " + format_real(s.c.time->end),
                                   .remedy = "set a later [time] end"});
  return checkpoint;
}

} // namespace weft
