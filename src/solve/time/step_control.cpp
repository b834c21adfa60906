#include "solve/time/step_control.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace weft {

namespace {

// Bounds of adaptive steps.
constexpr double first_step_share = 1e-3; // of `step`, or of the longest one
constexpr double step_safety = 0.9;
constexpr double least_factor = 0.2;
constexpr double most_factor = 2;             // variable BDF2 is stable up to 1 + sqrt(2)
constexpr double kept_factor = 1.2;           // below it a longer step is not worth a new matrix
constexpr double least_error = 1e-4;          // of the tolerance
constexpr double smallest_step_share = 1e-12; // of the whole time
constexpr double shortest_adaptive_share = 1e-15; // of the whole time, where steps may grow again
constexpr double same_length = 1e-9;              // relative; what only rounding tells apart

} // namespace

StepAttempt next_attempt(const TimeSettings &settings, const TimeState &state, double longest) {
  const double stop = *std::upper_bound(settings.stops.begin(), settings.stops.end(), state.time);
  const double gap = stop - state.time;
  double length = 0;
  if (settings.adaptive()) {
    const double first = first_step_share * (settings.step > 0 ? settings.step : longest);
    const double wanted = std::min(state.wanted_step > 0 ? state.wanted_step : first, longest);
    if (wanted >= gap * (1 - same_length))
      return {gap, stop};
    length = 2 * wanted > gap ? gap / 2 : wanted; // no tiny step is left over
  } else {
    const double count = std::ceil(gap / longest - 1e-6);
    length = count <= 1 ? gap : gap / count;
    // Equal steps are the same number, so that nothing made for it is made anew.
    if (!state.steps.empty() && std::abs(length - state.steps[0]) < same_length * length)
      length = state.steps[0];
    if (count <= 1)
      return {length, stop};
  }
  return {length, state.time + length};
}

std::string vanishing_step(const TimeSettings &settings, const StepAttempt &attempt) {
  if (std::find(settings.stops.begin(), settings.stops.end(), attempt.time) != settings.stops.end())
    return {};
  if (attempt.length < shortest_step_at(attempt.time))
    return fmt::format("a step of {:.3g} is lost in the rounding of the time", attempt.length);
  const double whole = settings.end() - settings.start;
  const double share = settings.adaptive() ? shortest_adaptive_share : shortest_step_share;
  if (attempt.length < share * whole)
    return fmt::format("{:.1e} steps of {:.3g} would lie before the end",
                       (settings.end() - attempt.time) / attempt.length, attempt.length);
  return {};
}

void control_step(TimeState &state, const StepAttempt &attempt, std::optional<double> estimate,
                  int order) {
  const double wanted = std::max(state.wanted_step, attempt.length); // the step may have been cut
  if (!estimate) {
    state.wanted_step = wanted;
    return;
  }
  const double error = *estimate;
  const double now = std::max(error, least_error);
  const double exponent = 1.0 / (order + 1);
  double factor = step_safety * std::pow(now, -exponent);
  if (state.previous_error > 0 && error <= 1)
    factor = step_safety * std::pow(now, -0.7 * exponent) *
             std::pow(std::max(state.previous_error, least_error), 0.4 * exponent);
  factor = std::clamp(factor, least_factor, error > 1 ? step_safety : most_factor);
  if (error <= 1 && factor >= 1 && factor < kept_factor)
    factor = 1;
  const double length = factor * attempt.length;
  state.wanted_step = error > 1 || factor < 1
                          ? length
                          : std::min(std::max(wanted, length), most_factor * attempt.length);
  if (error <= 1)
    state.previous_error = error;
}

double largest_share(const std::vector<double> &error, const std::vector<double> &now,
                     const std::vector<std::int64_t> &field_offset,
                     std::vector<double> &field_scale, const SharedEntries &shared) {
  Communicator *ranks = shared.ranks;
  double largest = 0;
  for (std::size_t f = 0; f < field_offset.size(); ++f) {
    const auto begin = static_cast<std::size_t>(field_offset[f]);
    const std::size_t end =
        f + 1 < field_offset.size() ? static_cast<std::size_t>(field_offset[f + 1]) : error.size();
    double square = 0, &scale = field_scale[f];
    for (std::size_t i = begin; i < end; ++i) {
      scale = std::max(scale, std::abs(now[i]));
      square += error[i] * error[i];
    }
    scale = weft::largest(ranks, scale);
    const std::int64_t here = static_cast<std::int64_t>(end - begin) -
                              (shared.num_absent.empty() ? 0 : shared.num_absent[f]);
    const std::int64_t count =
        sum(ranks, shared.counted_by ? shared.counted_by->num_own(here) : here);
    const double mean =
        std::sqrt(sum(ranks, square) / static_cast<double>(std::max<std::int64_t>(1, count)));
    if (!std::isfinite(mean))
      return mean;
    largest = std::max(largest, scale > 0 ? mean / scale : 0);
  }
  return largest;
}

double smallest_step(const TimeSettings &settings) {
  return smallest_step_share * (settings.end() - settings.start);
}

} // namespace weft
