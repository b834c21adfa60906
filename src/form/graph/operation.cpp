#include "form/graph/operation.h"

#include <cmath>

#include "base/error.h"

namespace weft {

int num_operands(Op op) {
  switch (op) {
  case Op::constant:
  case Op::symbol:
    return 0;
  case Op::add:
  case Op::sub:
  case Op::mul:
  case Op::div:
  case Op::pow:
  case Op::atan2:
  case Op::min:
  case Op::max:
  case Op::less:
  case Op::less_equal:
  case Op::equal:
  case Op::logical_and:
  case Op::logical_or:
    return 2;
  case Op::where:
    return 3;
  default:
    return 1;
  }
}

const char *name_of(Op op) {
  static constexpr const char *names[] = {
      "constant", "symbol",      "add",        "sub",         "mul",  "div",  "neg",
      "pow",      "sqrt",        "exp",        "log",         "sin",  "cos",  "tan",
      "asin",     "acos",        "atan",       "atan2",       "sinh", "cosh", "tanh",
      "abs",      "sign",        "floor",      "min",         "max",  "less", "less_equal",
      "equal",    "logical_and", "logical_or", "logical_not", "where"};
  return names[static_cast<int>(op)];
}

bool is_commutative(Op op) {
  switch (op) {
  case Op::add:
  case Op::mul:
  case Op::min:
  case Op::max:
  case Op::equal:
  case Op::logical_and:
  case Op::logical_or:
    return true;
  default:
    return false;
  }
}

double apply_operation(Op op, double a, double b, double c) {
  switch (op) {
  case Op::constant:
  case Op::symbol:
    break;
  case Op::add:
    return a + b;
  case Op::sub:
    return a - b;
  case Op::mul:
    return a * b;
  case Op::div:
    return a / b;
  case Op::neg:
    return -a;
  case Op::pow:
    return std::pow(a, b);
  case Op::sqrt:
    return std::sqrt(a);
  case Op::exp:
    return std::exp(a);
  case Op::log:
    return std::log(a);
  case Op::sin:
    return std::sin(a);
  case Op::cos:
    return std::cos(a);
  case Op::tan:
    return std::tan(a);
  case Op::asin:
    return std::asin(a);
  case Op::acos:
    return std::acos(a);
  case Op::atan:
    return std::atan(a);
  case Op::atan2:
    return std::atan2(a, b);
  case Op::sinh:
    return std::sinh(a);
  case Op::cosh:
    return std::cosh(a);
  case Op::tanh:
    return std::tanh(a);
  case Op::abs:
    return std::abs(a);
  case Op::sign:
    return a > 0 ? 1.0 : (a < 0 ? -1.0 : 0.0);
  case Op::floor:
    return std::floor(a);
  case Op::min:
    return b < a ? b : a;
  case Op::max:
    return a < b ? b : a;
  case Op::less:
    return a < b;
  case Op::less_equal:
    return a <= b;
  case Op::equal:
    return a == b;
  case Op::logical_and:
    return a != 0 && b != 0;
  case Op::logical_or:
    return a != 0 || b != 0;
  case Op::logical_not:
    return a == 0;
  case Op::where:
    return a != 0 ? b : c;
  }
  throw Error(ErrorKind::invariant, {.what = "a leaf of the graph has no operation"});
}

} // namespace weft
