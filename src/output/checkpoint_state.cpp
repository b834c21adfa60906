#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/number.h"
#include "output/checkpoint.h"

namespace weft {

namespace {

class StateCheck {
public:
  explicit StateCheck(const std::string &path) : path_(path) {}

  void require_that(bool holds, const std::string &what, const std::string &found,
                    const std::string &allowed) const {
    if (!holds)
      throw Error(ErrorKind::input,
                  {.what = what,
                   .where = path_,
                   .found = found,
                   .allowed = allowed,
                   .remedy = "give a checkpoint that Weft wrote: checkpoint.h5 in a run's output"});
  }
  void count(const char *name, std::int64_t value) const {
    // Far from where counting on would overflow.
    constexpr std::int64_t most = std::int64_t{1} << 60;
    require_that(value >= 0 && value <= most,
                 fmt::format("the checkpoint's `{}` is no count", name), fmt::format("{}", value),
                 "0 or more");
  }
  void magnitude(const char *name, double value) const {
    require_that(value >= 0, fmt::format("the checkpoint's `{}` is no magnitude", name),
                 format_real(value), "0 or more");
  }
  void length(const std::string &name, std::size_t found, std::int64_t expected) const {
    require_that(static_cast<std::int64_t>(found) == expected,
                 fmt::format("the checkpoint's `{}` is of another length than the run's", name),
                 fmt::format("{}", found), fmt::format("{}", expected));
  }

private:
  const std::string &path_;
};

} // namespace

void check_state(const std::string &path, const Checkpoint &checkpoint,
                 const CheckpointSizes &sizes) {
  const StateCheck check(path);
  const TimeState &state = checkpoint.state;
  check.require_that(std::isfinite(state.time), "the checkpoint's time is not finite",
                     format_real(state.time), "a finite time");
  check.count("num_steps", state.num_steps);
  check.count("num_rejected", state.num_rejected);
  check.count("num_newton_steps", state.num_newton_steps);
  check.count("num_iterations", state.num_iterations);
  check.magnitude("wanted_step", state.wanted_step);
  check.require_that(std::isfinite(state.time_before),
                     "the checkpoint's `time_before` is not finite", format_real(state.time_before),
                     "a finite value of the load");
  check.magnitude("arc_state_scale", state.arc_state_scale);
  check.magnitude("arc_load_scale", state.arc_load_scale);
  check.magnitude("previous_error", state.previous_error);
  check.magnitude("residual_scale", state.residual_scale);
  check.magnitude("unit_step", state.unit_step);
  check.magnitude("trusted_norm", state.trusted_norm);
  check.require_that(!state.states.empty() && state.states.size() <= sizes.most_states,
                     "the checkpoint has another number of states than the scheme",
                     fmt::format("{}", state.states.size()),
                     fmt::format("1 to {}", sizes.most_states));
  for (std::size_t i = 0; i < state.states.size(); ++i)
    check.length(fmt::format("states/{}", i), state.states[i].size(), sizes.num_dofs);
  check.require_that(state.rates.size() == sizes.num_rates ||
                         (state.num_steps == 0 && state.rates.size() < sizes.num_rates),
                     "the checkpoint has another number of time derivatives than the scheme",
                     fmt::format("{}", state.rates.size()), fmt::format("{}", sizes.num_rates));
  for (std::size_t i = 0; i < state.rates.size(); ++i)
    check.length(fmt::format("rates/{}", i), state.rates[i].size(), sizes.num_dofs);
  check.require_that(
      state.steps.size() + 1 >= state.states.size() && state.steps.size() <= sizes.most_states,
      "the checkpoint lacks the steps between its states", fmt::format("{}", state.steps.size()),
      fmt::format("{} to {}", state.states.size() - 1, sizes.most_states));
  check.require_that(std::all_of(state.steps.begin(), state.steps.end(),
                                 [](double step) { return std::isfinite(step) && step > 0; }),
                     "a step of the checkpoint is no length of time", "", "finite, above 0");
  check.length("field_scale", state.field_scale.size(),
               static_cast<std::int64_t>(sizes.num_fields));
  for (const double scale : state.field_scale)
    check.magnitude("field_scale", scale);
  for (const auto &[name, times] : checkpoint.first_times)
    check.length("first_times/" + name, times.size(), sizes.num_nodes);
}

} // namespace weft
