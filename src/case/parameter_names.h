// Parameters by the names under which they are set.
#pragma once

#include <string>
#include <vector>

#include "case/form_spec.h"

namespace weft {

// Those that there are: "k"; of a parameter by group "k.fins".
std::vector<std::string> parameter_names(const FormSpec &form);

struct FoundParameter {
  ParameterSpec *parameter;
  SourceText *text; // of its value
};
// Errors (input): a name that is no parameter's, with those there are.
FoundParameter find_parameter(FormSpec &form, const std::string &name);

// Lets parameters get other values while the program runs: their constants become arguments of
// kernels. Errors: those of find_parameter().
void make_settable(FormSpec &form, const std::vector<std::string> &names);

} // namespace weft
