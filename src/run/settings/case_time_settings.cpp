#include "run/settings/case_time_settings.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/number.h"
#include "form/weak_form/rates.h"
#include "op/problem/discretisation.h"

namespace weft {

namespace {

// More outputs than anybody looks at are a typing error that would fill the disk.
constexpr double most_outputs = 1e6;

void add_multiples(std::vector<double> &stops, const TimeSpec &spec, double every) {
  const double count = (spec.end - spec.start) / every;
  if (count > most_outputs)
    throw Error(ErrorKind::input, {.what = "[output] every asks for too many outputs",
                                   .where = "[output] every",
                                   .found = fmt::format("{:.3g} outputs", count),
                                   .allowed = fmt::format("{:.0f}", most_outputs)});
  for (std::int64_t i = 1; static_cast<double>(i) < count * (1 - 1e-12); ++i)
    stops.push_back(spec.start + static_cast<double>(i) * every);
}

void check_step(const TimeSpec &spec) {
  if (spec.tolerance || !(spec.step > 0))
    return;
  const double whole = spec.end - spec.start;
  const double shortest =
      std::max(shortest_step_share * whole,
               std::max(shortest_step_at(spec.start), shortest_step_at(spec.end)));
  if (spec.step < shortest)
    throw Error(ErrorKind::input,
                {.what = "a time step that would take forever",
                 .where = (spec.place.empty() ? "[time]" : spec.place) + " step",
                 .found = fmt::format("{:.3g}: {:.1e} steps", spec.step, whole / spec.step),
                 .allowed = fmt::format("at least {:.3g}, a share of {:.0e} of the whole time and "
                                        "above the rounding of times",
                                        shortest, shortest_step_share)});
}

} // namespace

void choose_time_scheme(Case &c, const Form &form) {
  std::string &scheme = c.time->scheme;
  if (scheme.empty() && !has_rates(form))
    scheme = quasi_static_scheme;
  else if (scheme.empty())
    scheme = has_second_rates(form) ? second_order_scheme : "bdf2";
  if (!c.form.explicit_integrals.empty()) { // the pairs that have an explicit part
    if (scheme == "dirk2")
      scheme = "ars2";
    else if (scheme == "dirk3")
      scheme = "ars3";
  }
  if (scheme == second_order_scheme)
    c.form.known_rates = time_orders(form);
}

TimeSettings make_time_settings(const TimeSpec &spec, const OutputSpec &output) {
  TimeSettings settings{.scheme = time_scheme_from_name(spec.scheme),
                        .theta = spec.theta,
                        .spectral_radius = spec.spectral_radius,
                        .start = spec.start,
                        .step = spec.step,
                        .cfl = spec.cfl,
                        .stable_share = spec.stable_share,
                        .tolerance = spec.tolerance,
                        .max_step = spec.max_step,
                        .arc_length = spec.arc_length};
  check_step(spec);
  std::vector<double> stops = {spec.end};
  for (const double time : output.times) {
    if (!(time >= spec.start && time <= spec.end))
      throw Error(
          ErrorKind::input,
          {.what = "a time of output outside of the time that is computed",
           .where = "[output] times",
           .found = format_real(time),
           .allowed = fmt::format("{} to {}", format_real(spec.start), format_real(spec.end))});
    if (time > spec.start)
      stops.push_back(time);
  }
  if (output.every)
    add_multiples(stops, spec, *output.every);
  std::sort(stops.begin(), stops.end());
  // Stops that only rounding tells apart are one.
  const double apart = 1e-10 * (spec.end - spec.start);
  for (const double time : stops)
    if (settings.stops.empty() || time - settings.stops.back() > apart)
      settings.stops.push_back(time);
  settings.stops.back() = spec.end;
  return settings;
}

} // namespace weft
