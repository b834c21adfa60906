// How long steps in time are: fixed ones divide what lies between two stops evenly, adaptive ones
// follow a PI controller (Gustafsson 1991, doi:10.1145/210232.210242).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linalg/operator.h"
#include "solve/time/time_settings.h"
#include "solve/time/time_state.h"

namespace weft {

struct StepAttempt {
  double length = 0;
  double time = 0; // at its end
};

// The next step from state.time, before settings.end(). `longest`: that it may have.
StepAttempt next_attempt(const TimeSettings &settings, const TimeState &state, double longest);

// Why a step that does not reach a stop is too short to go on with: it is lost in the rounding of
// the time, or more of them than anybody waits for lie before the end. Empty where it is not.
std::string vanishing_step(const TimeSettings &settings, const StepAttempt &attempt);

// Adaptive steps: the length that the next one wants, after one with this local error relative to
// the tolerance (none: not known) of a scheme (or embedded solution) of this order.
void control_step(TimeState &state, const StepAttempt &attempt, std::optional<double> error,
                  int order);

// Who has the other entries of vectors that ranks share.
struct SharedEntries {
  Communicator *ranks = nullptr;
  // Counts own ones, where there are ghosts among those given, in which the error is zero.
  const ExplicitOperator *counted_by = nullptr;
  // [field]: those that are no unknowns, whose error is zero and does not count; empty: none.
  std::span<const std::int64_t> num_absent = {};
};

// All: the largest over the fields of an error's root mean square relative to the largest value
// that the field had so far, which `field_scale` keeps. error, now: [dof]; field_offset: first dof
// of each.
double largest_share(const std::vector<double> &error, const std::vector<double> &now,
                     const std::vector<std::int64_t> &field_offset,
                     std::vector<double> &field_scale, const SharedEntries &shared = {});

// Adaptive steps are not made shorter than this.
double smallest_step(const TimeSettings &settings);

} // namespace weft
