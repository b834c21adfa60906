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
  for (const EstimatedError &error : record.adjoint.errors)
    for (const double component : error.errors)
      values["functional_errors." + error.functional].push_back(std::abs(component));
  for (const FunctionalGradient &gradient : record.adjoint.gradients)
    values["gradients." + gradient.functional + "." + gradient.parameter] = gradient.values;
  for (const FieldError &error : record.errors) {
    values["errors." + error.field + ".L2"] = {error.l2};
    values["errors." + error.field + ".H1"] = {error.h1};
  }
  return values;
}

// Either tolerance may be given; with both, the wider one counts.
double allowed_difference(const Expectation &e) {
  return std::max(e.relative.value_or(0) * std::abs(*e.value), e.absolute.value_or(0));
}

// "1.5 within 0.1, above 0".
std::string asked_text(const Expectation &e) {
  std::string text;
  if (e.value)
    text = fmt::format("{} within {:.3g}", format_real(*e.value), allowed_difference(e));
  if (e.below)
    text += fmt::format("{}below {}", text.empty() ? "" : ", ", format_real(*e.below));
  if (e.above)
    text += fmt::format("{}above {}", text.empty() ? "" : ", ", format_real(*e.above));
  return text;
}

// What the expectation asks for and the value misses; empty when it is met.
std::string missed(const Expectation &e, double found) {
  if (e.value) {
    const double allowed = allowed_difference(e), difference = std::abs(found - *e.value);
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

std::vector<CheckedValue> checked_values(const Expectations &expected, const RunRecord &record) {
  const auto values = values_by_name(record);
  std::vector<std::string> names;
  for (const auto &[name, list] : values)
    names.push_back(name);
  std::vector<CheckedValue> result;
  for (const Expectation &e : expected.entries) {
    CheckedValue &checked = result.emplace_back();
    checked.name = e.name;
    checked.expected = asked_text(e);
    const auto found = values.find(e.name);
    if (found == values.end()) {
      checked.missed = fmt::format("the run has no such value, only {}", join_names(names));
      continue;
    }
    const std::size_t component = e.component < 0 ? 0 : e.component;
    if (e.component >= 0)
      checked.name = fmt::format("{}[{}]", e.name, component);
    // A list may only be compared component by component.
    if (component >= found->second.size() || (e.component < 0 && found->second.size() != 1)) {
      checked.missed = fmt::format("the run's value has {} components", found->second.size());
      continue;
    }
    checked.found = found->second[component];
    if (const std::string difference = missed(e, *checked.found); !difference.empty())
      checked.missed =
          fmt::format("found {}, expected {}", format_real(*checked.found), difference);
  }
  return result;
}

std::vector<std::string> check_expectations(const Expectations &expected, const RunRecord &record) {
  std::vector<std::string> lines;
  for (const CheckedValue &value : checked_values(expected, record))
    if (!value.missed.empty())
      lines.push_back(fmt::format("{}: {}", value.name, value.missed));
  return lines;
}

} // namespace weft
