#include "output/expectations.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

#include "base/names.h"
#include "base/number.h"

namespace weft {

namespace {

// All values of a run by the names that expectations use.
std::map<std::string, std::vector<double>> values_by_name(const RunRecord &record) {
  std::map<std::string, std::vector<double>> values;
  for (const FunctionalValue &functional : record.functionals)
    values["functionals." + functional.name] = functional.values;
  for (const FieldError &error : record.errors) {
    values["errors." + error.field + ".L2"] = {error.l2};
    values["errors." + error.field + ".H1"] = {error.h1};
  }
  return values;
}

// What the expectation asks for and the value misses; empty when it is met.
std::string missed(const Expectation &e, double found) {
  if (e.value) {
    // Either tolerance may be given; with both, the wider one counts.
    const double allowed =
        std::max(e.relative.value_or(0) * std::abs(*e.value), e.absolute.value_or(0));
    const double difference = std::abs(found - *e.value);
    if (!(difference <= allowed))
      return fmt::format("{} within {:.3g}: it is off by {:.3g}", format_real(*e.value), allowed,
                         difference);
  }
  if (e.below && !(found < *e.below))
    return fmt::format("below {}", format_real(*e.below));
  if (e.above && !(found > *e.above))
    return fmt::format("above {}", format_real(*e.above));
  return {};
}

} // namespace

std::vector<std::string> check_expectations(const Expectations &expected, const RunRecord &record) {
  const auto values = values_by_name(record);
  std::vector<std::string> names;
  for (const auto &[name, list] : values)
    names.push_back(name);
  std::vector<std::string> lines;
  for (const Expectation &e : expected.entries) {
    const auto found = values.find(e.name);
    if (found == values.end()) {
      lines.push_back(
          fmt::format("{}: the run has no such value, only {}", e.name, join_names(names)));
      continue;
    }
    const std::size_t component = e.component < 0 ? 0 : e.component;
    const std::string name = e.component < 0 ? e.name : fmt::format("{}[{}]", e.name, component);
    // A list may only be compared component by component.
    if (component >= found->second.size() || (e.component < 0 && found->second.size() != 1)) {
      lines.push_back(
          fmt::format("{}: the run's value has {} components", name, found->second.size()));
      continue;
    }
    const double value = found->second[component];
    if (const std::string difference = missed(e, value); !difference.empty())
      lines.push_back(
          fmt::format("{}: found {}, expected {}", name, format_real(value), difference));
  }
  return lines;
}

} // namespace weft
