// What time stepping is asked to do.
#pragma once

#include <optional>
#include <vector>

#include "case/case.h"

namespace weft {

enum class TimeScheme { theta, bdf2 };

struct TimeSettings {
  TimeScheme scheme = TimeScheme::bdf2;
  double theta = 0.5;
  double start = 0;
  double step = 0; // at most; adaptive: about that of the first steps
  // Adaptive steps: of the local error, see TimeStepper.
  std::optional<double> tolerance;
  double max_step = 0; // 0 = no limit
  // Ascending times that steps end at, all after the start; the last is the end.
  std::vector<double> stops;

  double end() const { return stops.back(); }
  bool adaptive() const { return tolerance.has_value(); }
};

// Stops are the times of output and the end. Errors (input): times of output outside of the
// interval.
TimeSettings make_time_settings(const TimeSpec &spec, const OutputSpec &output);

} // namespace weft
