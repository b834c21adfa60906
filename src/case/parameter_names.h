// Parameters by the names under which they are set.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "case/form_spec.h"

namespace weft {

// Those that there are, but for tables, which have no value to be set: "k"; of a parameter by group
// "k.fins".
std::vector<std::string> parameter_names(const FormSpec &form);

struct FoundParameter {
  std::size_t index = 0; // in the form's parameters
  std::string group;     // that its value is of; empty: it is the same everywhere
};

// What asks for a parameter, as messages say it: "a value of", "a gradient by".
struct ParameterRequest {
  std::string what = "a value of";
  std::string where = "[parameters]";
};

// Errors (input): a name that is no parameter's, that of a parameter by group without one, and a
// group that there is no value for; with what there is.
FoundParameter find_parameter(const FormSpec &form, const std::string &name,
                              const ParameterRequest &request = {});

// The text of its value, in the form that it was found in or a copy.
template <typename Form> auto &value_of(Form &form, const FoundParameter &found) {
  auto &parameter = form.parameters[found.index];
  return parameter.value ? *parameter.value : parameter.by_group.at(found.group);
}

// Lets parameters get other values while the program runs: their constants become arguments of
// kernels. Errors: those of find_parameter().
void make_settable(FormSpec &form, const std::vector<std::string> &names);

} // namespace weft
