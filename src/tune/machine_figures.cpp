#include "tune/machine_figures.h"

#include <fmt/format.h>

#include "base/error.h"
#include "tune/disturbance.h"

namespace weft {

double MachineFigures::at(const std::string &name) const {
  const auto found = figures.find(name);
  if (found == figures.end())
    throw Error(ErrorKind::invariant,
                {.what = "a figure of the machine was not measured", .found = name});
  return found->second.median;
}

bool measured_beside_others(const MachineFigures &machine) {
  return machine.has(others_figure) && machine.at(others_figure) > most_others;
}

std::string disturbance_of(const MachineFigures &machine) {
  // Half of the rounds over all figures are rarely undisturbed where a host has many guests;
  // medians are of those that are, and hold as long as there are some.
  constexpr double fewest_undisturbed = 0.25, fewest_rounds = 0.5, most_peak = 1.5;
  std::string reasons;
  const auto add = [&](const std::string &reason) {
    reasons += (reasons.empty() ? "" : "; ") + reason;
  };
  if (measured_beside_others(machine))
    add(fmt::format("other processes took {:.0f}% of the cores", 100 * machine.at(others_figure)));
  for (const char *name : {"rate.multiply_add.f64.gops", "rate.multiply_add.f32.gops"})
    if (machine.has(name) && machine.figures.at(name).high > most_peak * machine.at(name)) {
      add(fmt::format("its arithmetic was at times {:.1f} times as fast as in the median",
                      machine.figures.at(name).high / machine.at(name)));
      break;
    }
  if (machine.has(undisturbed_figure) && machine.at(undisturbed_figure) < fewest_undisturbed)
    add(fmt::format("only {:.0f}% of the measurements were beside undisturbed cores or memory",
                    100 * machine.at(undisturbed_figure)));
  if (machine.has(rounds_figure) && machine.at(rounds_figure) < fewest_rounds)
    add(fmt::format("time allowed {:.0f}% of the rounds", 100 * machine.at(rounds_figure)));
  return reasons;
}

} // namespace weft
