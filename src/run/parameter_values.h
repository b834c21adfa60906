// Other values of a case's parameters, on the mesh and with the kernels that there are.
#pragma once

#include <string>
#include <vector>

#include "run/simulation.h"

namespace weft {

struct ParameterValue {
  std::string name;           // "k"; of a parameter by group "k.fins"
  std::vector<double> values; // its components, row by row
};

// Errors (input): an unknown name.
std::size_t num_components(const Case &c, const std::string &name);

// The value of a parameter where it is made of constants. Errors (input): one that depends on
// place or time, by its name.
ParameterValue parameter_value(const Case &c, const std::string &name);

enum class ParameterChange {
  none,
  values,    // in the operators there are
  equations, // operators were made anew
};

// Sets parameters, all or none. What depends on them is taken anew: tables, known fields,
// prescribed values, the choice of a solver that the case leaves open; and the initial state, where
// nothing was solved or given yet. The first time that a parameter is set, kernels are made once
// more, which read it as an argument. A later solve() starts from the state as it is.
// All ranks call it. Errors (input): unknown names, numbers that are not finite, too many or too
// few of them, and what make_discretisation() finds wrong with the values; all is as it was then,
// but that operators were made anew.
ParameterChange set_parameters(Simulation &s, const std::vector<ParameterValue> &values);

// The initial values, with the parameters as they are now.
void reset_state(Simulation &s);

} // namespace weft
