#include "kernel/cell/line_functions.h"

namespace weft {

bool is_odd(LineFunction function) {
  return function == LineFunction::derivative || function == LineFunction::value_derivative;
}

const char *name_of(LineFunction function) {
  switch (function) {
  case LineFunction::value:
    return "values";
  case LineFunction::derivative:
    return "derivatives";
  case LineFunction::value_squared:
    return "squares";
  case LineFunction::value_derivative:
    return "products";
  case LineFunction::derivative_squared:
    return "derivative_squares";
  }
  return "";
}

double product_of(LineFunction function, double value, double derivative) {
  switch (function) {
  case LineFunction::value:
    return value;
  case LineFunction::derivative:
    return derivative;
  case LineFunction::value_squared:
    return value * value;
  case LineFunction::value_derivative:
    return value * derivative;
  case LineFunction::derivative_squared:
    return derivative * derivative;
  }
  return 0;
}

} // namespace weft
