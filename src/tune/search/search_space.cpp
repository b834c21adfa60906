#include "tune/search/search_space.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sstream>

#include "base/error.h"
#include "base/names.h"

namespace weft {

std::string Variant::value(const std::string &parameter) const {
  for (const auto &[name, value] : choices)
    if (name == parameter)
      return value;
  return {};
}

int Variant::number(const std::string &parameter, int otherwise) const {
  const std::string text = value(parameter);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

std::string to_string(const Variant &variant) {
  std::string text;
  for (const auto &[name, value] : variant.choices)
    text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

Variant variant_from_string(const std::string &text) {
  Variant variant;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equal = word.find('=');
    if (equal == std::string::npos || equal == 0 || equal + 1 == word.size())
      throw Error(ErrorKind::input, {.what = "a variant is not written as choices",
                                     .found = "\"" + word + "\" in \"" + text + "\"",
                                     .allowed = "parameter=value, separated by blanks"});
    const std::string name = word.substr(0, equal);
    if (!variant.value(name).empty())
      throw Error(ErrorKind::input,
                  {.what = "a variant chooses parameter \"" + name + "\" twice", .found = text});
    variant.choices.emplace_back(name, word.substr(equal + 1));
  }
  return variant;
}

const Parameter *SearchSpace::find(const std::string &parameter) const {
  for (const Parameter &p : parameters)
    if (p.name == parameter)
      return &p;
  return nullptr;
}

namespace {

// The number of leading parameters after which a constraint can be checked.
std::size_t known_after(const SearchSpace &space, const Constraint &constraint) {
  if (constraint.of.empty())
    return space.parameters.size();
  std::size_t after = 0;
  for (const std::string &name : constraint.of) {
    const Parameter *parameter = space.find(name);
    require(parameter, "a constraint names parameters of its space");
    after = std::max(after, static_cast<std::size_t>(parameter - space.parameters.data()) + 1);
  }
  return after;
}

// Chooses the parameters from the place after those in `variant` on.
void extend(const SearchSpace &space, const std::vector<std::vector<const Constraint *>> &known,
            Variant &variant, std::vector<Variant> &all) {
  const std::size_t place = variant.choices.size();
  if (place == space.parameters.size()) {
    all.push_back(variant);
    return;
  }
  const Parameter &parameter = space.parameters[place];
  for (const std::string &value : parameter.values) {
    variant.choices.emplace_back(parameter.name, value);
    if (std::all_of(known[place + 1].begin(), known[place + 1].end(),
                    [&](const Constraint *constraint) { return constraint->holds(variant); }))
      extend(space, known, variant, all);
    variant.choices.pop_back();
  }
}

std::vector<std::string> parameter_names(const SearchSpace &space) {
  std::vector<std::string> names;
  for (const Parameter &parameter : space.parameters)
    names.push_back(parameter.name);
  return names;
}

} // namespace

std::vector<Variant> candidates(const SearchSpace &space) {
  std::vector<std::vector<const Constraint *>> known(space.parameters.size() + 1);
  for (const Constraint &constraint : space.constraints)
    known[known_after(space, constraint)].push_back(&constraint);
  std::vector<Variant> all;
  Variant variant;
  extend(space, known, variant, all);
  return all;
}

void check_variant(const SearchSpace &space, const Variant &variant, const std::string &where) {
  const std::string kernel = "kernel " + space.kernel;
  for (const auto &[name, value] : variant.choices) {
    const Parameter *parameter = space.find(name);
    const std::vector<std::string> names = parameter_names(space);
    if (!parameter) {
      const std::string nearest = nearest_name(name, names);
      throw Error(ErrorKind::input,
                  {.what = kernel + " has no parameter \"" + name + "\"",
                   .where = where,
                   .found = to_string(variant),
                   .allowed = join_names(names),
                   .remedy = nearest.empty() ? "" : "did you mean " + nearest + "?"});
    }
    const std::vector<std::string> &values = parameter->values;
    if (std::find(values.begin(), values.end(), value) == values.end())
      throw Error(ErrorKind::input,
                  {.what = fmt::format("parameter \"{}\" of {} can't be that here", name, kernel),
                   .where = where,
                   .found = value,
                   .allowed = join_names(values)});
  }
  for (const Parameter &parameter : space.parameters)
    if (variant.value(parameter.name).empty())
      throw Error(ErrorKind::input, {.what = fmt::format("a variant of {} without parameter \"{}\"",
                                                         kernel, parameter.name),
                                     .where = where,
                                     .found = to_string(variant),
                                     .allowed = join_names(parameter.values)});
  for (const Constraint &constraint : space.constraints)
    if (!constraint.holds(variant))
      throw Error(ErrorKind::input,
                  {.what = "a variant of " + kernel + " that is not possible here",
                   .where = where,
                   .found = to_string(variant),
                   .allowed = constraint.text});
}

Variant in_order(const SearchSpace &space, const Variant &variant) {
  Variant ordered;
  for (const Parameter &parameter : space.parameters)
    if (const std::string value = variant.value(parameter.name); !value.empty())
      ordered.choices.emplace_back(parameter.name, value);
  return ordered;
}

} // namespace weft
