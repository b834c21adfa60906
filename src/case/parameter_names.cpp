#include "case/parameter_names.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"

namespace weft {

std::vector<std::string> parameter_names(const FormSpec &form) {
  std::vector<std::string> names;
  for (const ParameterSpec &parameter : form.parameters) {
    if (parameter.value)
      names.push_back(parameter.name);
    for (const auto &[group, text] : parameter.by_group)
      names.push_back(parameter.name + "." + group);
  }
  return names;
}

FoundParameter find_parameter(FormSpec &form, const std::string &name) {
  for (ParameterSpec &parameter : form.parameters) {
    if (parameter.value && parameter.name == name)
      return {&parameter, &*parameter.value};
    for (auto &[group, text] : parameter.by_group)
      if (parameter.name + "." + group == name)
        return {&parameter, &text};
  }
  const std::vector<std::string> known = parameter_names(form);
  const std::string nearest = nearest_name(name, known);
  throw Error(ErrorKind::input,
              {.what = "there is no parameter with this name",
               .where = "[parameters]",
               .found = name,
               .allowed = known.empty() ? "the case has no parameters" : join_names(known),
               .remedy = nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)});
}

void make_settable(FormSpec &form, const std::vector<std::string> &names) {
  for (const std::string &name : names)
    find_parameter(form, name).parameter->settable = true;
}

} // namespace weft
