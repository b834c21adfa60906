#include "run/run_checkpoints.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "base/system/way_to_go_on.h"
#include "output/shared_checkpoint.h"
#include "run/transient.h"
#include "solve/time/implicit_stepper.h"

namespace weft {

namespace {

// The scheme as far as a state of it can't be gone on from with another.
std::string scheme_name(const TimeSpec &time) {
  if (time.scheme == "theta")
    return "theta " + format_real(time.theta);
  if (time.scheme == second_order_scheme)
    return time.scheme + " " + format_real(time.spectral_radius);
  return time.scheme;
}

CheckpointIdentity identity_of(const Simulation &s) {
  return checkpoint_identity(s.c, s.discretisation, scheme_name(*s.c.time));
}

// A word as a shell reads it back.
std::string shell_word(const std::string &word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("_-+=./:,@%", c) != nullptr;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain))
    return word;
  std::string text = "'";
  for (const char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// What this process was called with, and a checkpoint to go on from.
std::string restart_command(const std::string &checkpoint) {
  std::ifstream words("/proc/self/cmdline");
  std::string command, word;
  std::getline(words, word, '\0'); // the program, which a library's user has another of
  command = std::filesystem::path(word).filename().string();
  while (std::getline(words, word, '\0')) {
    if (word == "--restart")
      std::getline(words, word, '\0');
    else if (!word.starts_with("--restart="))
      command += " " + shell_word(word);
  }
  return command + " --restart " + shell_word(checkpoint);
}

} // namespace

RunCheckpoints::RunCheckpoints(const Simulation &s, const std::string &folder, double start)
    : s_(s), path_(folder + "/checkpoint.h5") {
  if (!s.c.output.checkpoint_every)
    return;
  order_.emplace(s.discretisation);
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
  write(stepper, output);
  last_ = now;
}

void RunCheckpoints::at_interruption(Stepper &stepper, const TransientOutput &output) {
  if (!s_.c.output.checkpoint_every)
    return;
  if (stepper.holds_setup())
    log::notice(
        "a preconditioner's set-up that was kept over steps is made anew where the run goes "
        "on: last bits may differ from those of a run that was not interrupted");
  write(stepper, output);
}

void RunCheckpoints::write(Stepper &stepper, const TransientOutput &output) {
  write_shared_checkpoint(path_,
                          {.identity = identity_,
                           .state = stepper.state(),
                           .texts = output.texts(),
                           .first_times = output.kept_fields(stepper.time())},
                          *order_);
  // A run that goes on from here has to set up everything anew, so this one does too.
  stepper.forget_setup();
  written_ = true;
  set_way_to_go_on(restart_command(path_));
  log::debug("checkpoint at time {} in {}", format_real(stepper.time()), path_);
}

std::optional<std::string> RunCheckpoints::file() const {
  return written_ ? std::optional(path_) : std::nullopt;
}

Checkpoint read_restart(const std::string &path, const Simulation &s, bool force) {
  if (!s.c.time)
    throw Error(ErrorKind::input, {.what = "--restart with a case that does not depend on time",
                                   .where = s.c.file,
                                   .remedy = "leave --restart out, or add [time] to the case"});
  const Discretisation &d = s.discretisation;
  const CanonicalOrder order(d);
  const CheckpointIdentity run = identity_of(s);
  const TimeScheme scheme = time_scheme_from_name(s.c.time->scheme);
  const CheckpointSizes sizes = {.num_dofs = d.num_global,
                                 .num_fields = d.form.fields.size(),
                                 .num_nodes = d.map_of_field(0).num_global,
                                 .most_states =
                                     is_explicit(scheme) ? std::size_t{1} : most_states_kept,
                                 .num_rates = rates_kept(scheme)};
  return read_shared_checkpoint(path, d.num_global, order, [&](const Checkpoint &checkpoint) {
    check_belongs(path, checkpoint, run, force);
    check_state(path, checkpoint, sizes);
    if (checkpoint.state.time >= s.c.time->end)
      throw Error(ErrorKind::input, {.what = "the checkpoint is at the end of the run already",
                                     .where = path,
                                     .found = "time " + format_real(checkpoint.state.time),
                                     .allowed = "before " + format_real(s.c.time->end),
                                     .remedy = "set a later [time] end"});
  });
}

} // namespace weft
