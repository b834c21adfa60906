// The built-in names of the expression language.
#pragma once

#include <string>
#include <vector>

#include "form/expression/tensor.h"

namespace weft {

// A function of values alone. apply() throws ShapeProblem where the arguments do not fit.
struct Function {
  const char *name;
  int min_arguments;
  int max_arguments;
  Tensor (*apply)(Graph &, const std::vector<Tensor> &);
};

// nullptr when there is none of this name.
const Function *find_function(const std::string &name);

// pi, x, y, z, X, t, n, cell_size, identity
const std::vector<std::string> &builtin_values();

// Functions that need to know more than the values of their arguments:
// test dt grad div curl minus plus avg jump
const std::vector<std::string> &builtin_operators();

// All of them, with the words of the grammar: names a case must not use for its own things.
const std::vector<std::string> &builtin_names();

} // namespace weft
