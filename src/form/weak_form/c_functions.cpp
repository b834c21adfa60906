// The functions that C text may call.
#include <algorithm>

#include "form/weak_form/c_syntax.h"

namespace weft {

namespace {

const std::vector<CFunction> &c_functions() {
  using Of = CFunction::Of;
  static const std::vector<CFunction> functions = [] {
    std::vector<CFunction> all;
    for (const char *name :
         {"sqrt",  "cbrt",  "rsqrt", "exp",   "exp2",  "exp10", "expm1",  "log",   "log2",
          "log10", "log1p", "sin",   "cos",   "tan",   "asin",  "acos",   "atan",  "sinh",
          "cosh",  "tanh",  "asinh", "acosh", "atanh", "sinpi", "cospi",  "fabs",  "floor",
          "ceil",  "round", "trunc", "rint",  "erf",   "erfc",  "tgamma", "lgamma"})
      all.push_back({name, 1, Of::reals});
    for (const char *name : {"pow", "atan2", "fmin", "fmax", "fmod", "fdim", "hypot", "copysign"})
      all.push_back({name, 2, Of::reals});
    all.push_back({"fma", 3, Of::reals});
    for (const char *name : {"isnan", "isinf", "isfinite"})
      all.push_back({name, 1, Of::reals_to_truth});
    all.push_back({"abs", 1, Of::wholes});
    for (const char *name : {"min", "max"})
      all.push_back({name, 2, Of::both});
    return all;
  }();
  return functions;
}

} // namespace

const CFunction *find_c_function(const std::string &name) {
  const std::vector<CFunction> &all = c_functions();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const CFunction &f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> c_function_names() {
  std::vector<std::string> names;
  for (const CFunction &function : c_functions())
    names.push_back(function.name);
  return names;
}

std::string to_string(CType type) {
  switch (type) {
  case CType::boolean:
    return "bool";
  case CType::integer:
    return "int";
  case CType::real:
    return "real";
  case CType::single_precision:
    return "float";
  case CType::double_precision:
    return "double";
  }
  return {};
}

} // namespace weft
