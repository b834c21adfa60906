#include "case/parameter_names.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"

namespace weft {

namespace {

// Names of its values, "k", or "k.fins" and "k.base", but for tables.
std::vector<std::string> names_of(const ParameterSpec &parameter) {
  std::vector<std::string> names;
  if (parameter.value && parameter.tables.empty())
    names.push_back(parameter.name);
  for (const auto &[group, text] : parameter.by_group)
    if (!parameter.tables.contains(group))
      names.push_back(parameter.name + "." + group);
  return names;
}

// What is wrong with a group, or none, in the name of a parameter that there is.
std::string fault_of(const ParameterSpec &parameter, const std::string &group) {
  if (parameter.tables.contains(group))
    return "a parameter that is a table";
  if (parameter.value)
    return "a parameter in a group, which has none";
  return group.empty() ? "a parameter that has several values"
                       : "a parameter in a group that it has no value for";
}

} // namespace

std::vector<std::string> parameter_names(const FormSpec &form) {
  std::vector<std::string> all;
  for (const ParameterSpec &parameter : form.parameters)
    for (const std::string &name : names_of(parameter))
      all.push_back(name);
  return all;
}

FoundParameter find_parameter(const FormSpec &form, const std::string &name,
                              const ParameterRequest &request) {
  const std::size_t dot = name.find('.');
  const std::string group = dot == std::string::npos ? "" : name.substr(dot + 1);
  std::string fault = "what is no parameter";
  std::vector<std::string> known = parameter_names(form);
  for (std::size_t p = 0; p < form.parameters.size(); ++p) {
    const ParameterSpec &parameter = form.parameters[p];
    if (parameter.name != name.substr(0, dot))
      continue;
    const bool is_there =
        dot == std::string::npos ? parameter.value.has_value() : parameter.by_group.contains(group);
    if (is_there && !parameter.tables.contains(group))
      return {p, group};
    fault = fault_of(parameter, group);
    known = names_of(parameter);
  }
  const std::string nearest = nearest_name(name, known);
  throw Error(ErrorKind::input,
              {.what = fmt::format("{} {}", request.what, fault),
               .where = request.where,
               .found = name,
               .allowed = known.empty() ? "the case has no parameters" : join_names(known),
               .remedy = nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)});
}

void make_settable(FormSpec &form, const std::vector<std::string> &names) {
  for (const std::string &name : names)
    form.parameters[find_parameter(form, name).index].settable = true;
}

} // namespace weft
