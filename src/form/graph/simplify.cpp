#include "form/graph/simplify.h"

#include <cmath>
#include <utility>

namespace weft {

namespace {

constexpr NodeId none = -1;
constexpr double largest_expanded_power = 16;

bool is(const Graph &g, NodeId id, Op op) {
  return g[id].op == op;
}
NodeId operand(const Graph &g, NodeId id, int i = 0) {
  return g[id].operand[i];
}

// 1/value is exact, so that a product may stand for the quotient.
bool has_exact_reciprocal(double value) {
  int exponent = 0;
  return std::abs(std::frexp(value, &exponent)) == 0.5 && std::abs(exponent) < 1000;
}

// A product with a constant, taken apart; other nodes have the factor 1.
struct Scaled {
  double factor = 1;
  NodeId rest = none;
};

Scaled take_apart(const Graph &g, NodeId id) {
  if (is(g, id, Op::mul))
    for (int i = 0; i < 2; ++i)
      if (const NodeId factor = operand(g, id, i); is(g, factor, Op::constant))
        return {g[factor].value, operand(g, id, 1 - i)};
  return {1, id};
}

// c*x + c*y = c*(x + y), and the same for differences: one product less.
NodeId take_out_common_factor(Graph &g, Op op, NodeId a, NodeId b) {
  const Scaled x = take_apart(g, a), y = take_apart(g, b);
  if (x.factor == 1 || x.factor != y.factor || is(g, x.rest, Op::constant) ||
      is(g, y.rest, Op::constant))
    return none;
  return g.mul(g.constant(x.factor), g.make(op, x.rest, y.rest));
}

NodeId simplify_add(Graph &g, NodeId a, NodeId b) {
  if (g.is_constant(a, 0))
    return b;
  if (g.is_constant(b, 0))
    return a;
  if (a == b)
    return g.mul(g.constant(2), a);
  if (is(g, b, Op::neg))
    return g.sub(a, operand(g, b));
  if (is(g, a, Op::neg))
    return g.sub(b, operand(g, a));
  return take_out_common_factor(g, Op::add, a, b);
}

NodeId simplify_sub(Graph &g, NodeId a, NodeId b) {
  if (g.is_constant(b, 0))
    return a;
  if (g.is_constant(a, 0))
    return g.neg(b);
  if (a == b)
    return g.constant(0);
  if (is(g, b, Op::neg))
    return g.add(a, operand(g, b));
  if (is(g, a, Op::neg))
    return g.neg(g.add(operand(g, a), b));
  return take_out_common_factor(g, Op::sub, a, b);
}

// constant / x, and `factor` times it is so too (without overflow or underflow).
bool is_reciprocal_to_scale(const Graph &g, NodeId id, double factor) {
  return is(g, id, Op::div) && is(g, operand(g, id), Op::constant) &&
         std::isnormal(factor * g[operand(g, id)].value);
}

// constant * b
NodeId simplify_scale(Graph &g, NodeId constant, NodeId b) {
  const double value = g[constant].value;
  if (value == 0 || value == 1)
    return value == 0 ? constant : b;
  if (value == -1)
    return g.neg(b);
  if (is(g, b, Op::neg))
    return g.mul(g.constant(-value), operand(g, b));
  if (is_reciprocal_to_scale(g, b, value))
    return g.div(g.constant(value * g[operand(g, b)].value), operand(g, b, 1));
  const Scaled inner = take_apart(g, b);
  if (inner.factor == 1 || !std::isnormal(value * inner.factor))
    return none;
  return g.mul(g.constant(value * inner.factor), inner.rest);
}

// (c*x)*(d*y) = cd*(x*y) and (c*x)*(d/y) = x*(cd/y): constants meet. Alone, a constant stays where
// it is, as c*x is often shared by the components of a vector. So is 1/x: x*(1/y) does not become a
// quotient.
NodeId merge_constants(Graph &g, NodeId a, NodeId b) {
  const Scaled x = take_apart(g, a), y = take_apart(g, b);
  if (x.factor != 1 && is_reciprocal_to_scale(g, b, x.factor))
    return g.mul(x.rest, g.mul(g.constant(x.factor), b));
  if (y.factor != 1 && is_reciprocal_to_scale(g, a, y.factor))
    return g.mul(y.rest, g.mul(g.constant(y.factor), a));
  if (x.factor == 1 || y.factor == 1 || !std::isnormal(x.factor * y.factor))
    return none;
  return g.mul(g.constant(x.factor * y.factor), g.mul(x.rest, y.rest));
}

NodeId simplify_mul(Graph &g, NodeId a, NodeId b) {
  if (is(g, b, Op::constant))
    std::swap(a, b);
  if (is(g, a, Op::constant))
    return simplify_scale(g, a, b);
  if (is(g, a, Op::neg))
    return g.neg(g.mul(operand(g, a), b));
  if (is(g, b, Op::neg))
    return g.neg(g.mul(a, operand(g, b)));
  if (a == b && is(g, a, Op::sqrt))
    return operand(g, a);
  return merge_constants(g, a, b);
}

NodeId simplify_div(Graph &g, NodeId a, NodeId b) {
  if (g.is_constant(b, 0))
    return none;
  if (g.is_constant(a, 0))
    return a;
  if (a == b)
    return g.constant(1);
  if (is(g, b, Op::constant) && has_exact_reciprocal(g[b].value))
    return g.mul(g.constant(1 / g[b].value), a);
  if (is(g, a, Op::neg))
    return g.neg(g.div(operand(g, a), b));
  if (is(g, b, Op::neg))
    return g.neg(g.div(a, operand(g, b)));
  if (is(g, b, Op::div) && g.is_constant(operand(g, b), 1))
    return g.mul(a, operand(g, b, 1));
  return none;
}

NodeId simplify_neg(Graph &g, NodeId a) {
  if (is(g, a, Op::neg))
    return operand(g, a);
  if (is(g, a, Op::sub))
    return g.sub(operand(g, a, 1), operand(g, a, 0));
  if (const Scaled x = take_apart(g, a); x.factor != 1)
    return g.mul(g.constant(-x.factor), x.rest);
  return none;
}

// base^exponent by repeated squaring; exponent >= 1.
NodeId integer_power(Graph &g, NodeId base, int exponent) {
  NodeId result = none;
  for (NodeId square = base;; square = g.mul(square, square)) {
    if (exponent % 2 == 1)
      result = result == none ? square : g.mul(result, square);
    exponent /= 2;
    if (exponent == 0)
      return result;
  }
}

NodeId simplify_pow(Graph &g, NodeId base, NodeId exponent) {
  if (g.is_constant(base, 1))
    return base;
  if (!is(g, exponent, Op::constant))
    return none;
  const double e = g[exponent].value;
  if (e == 0)
    return g.constant(1);
  if (is(g, base, Op::sqrt))
    return g.make(Op::pow, operand(g, base), g.constant(e / 2));
  if (std::abs(e) > largest_expanded_power || std::floor(2 * e) != 2 * e)
    return none;
  if (e < 0)
    return g.div(g.constant(1), g.make(Op::pow, base, g.constant(-e)));
  const int whole = static_cast<int>(e);
  if (whole == e)
    return integer_power(g, base, whole);
  const NodeId root = g.make(Op::sqrt, base);
  return whole == 0 ? root : g.mul(integer_power(g, base, whole), root);
}

NodeId simplify_abs(Graph &g, NodeId a) {
  if (is(g, a, Op::abs) || is(g, a, Op::sqrt) || is(g, a, Op::exp))
    return a;
  return is(g, a, Op::neg) ? g.make(Op::abs, operand(g, a)) : none;
}

NodeId simplify_logical(Graph &g, Op op, NodeId a, NodeId b) {
  if (is(g, b, Op::constant))
    std::swap(a, b);
  if (is(g, a, Op::constant)) {
    const bool truth = g[a].value != 0;
    return truth == (op == Op::logical_and) ? b : a; // true and b, false or b: b
  }
  return a == b ? a : none;
}

NodeId simplify_where(Graph &g, NodeId condition, NodeId a, NodeId b) {
  if (is(g, condition, Op::constant))
    return g[condition].value != 0 ? a : b;
  if (a == b)
    return a;
  if (is(g, condition, Op::logical_not))
    return g.make(Op::where, operand(g, condition), b, a);
  const auto same_choice = [&](NodeId branch) {
    return is(g, branch, Op::where) && operand(g, branch) == condition;
  };
  if (same_choice(a))
    return g.make(Op::where, condition, operand(g, a, 1), b);
  if (same_choice(b))
    return g.make(Op::where, condition, a, operand(g, b, 2));
  return none;
}

} // namespace

NodeId simplify(Graph &g, Op op, NodeId a, NodeId b, NodeId c) {
  switch (op) {
  case Op::add:
    return simplify_add(g, a, b);
  case Op::sub:
    return simplify_sub(g, a, b);
  case Op::mul:
    return simplify_mul(g, a, b);
  case Op::div:
    return simplify_div(g, a, b);
  case Op::neg:
    return simplify_neg(g, a);
  case Op::pow:
    return simplify_pow(g, a, b);
  case Op::sqrt: // sqrt(x*x) = |x|
    return is(g, a, Op::mul) && operand(g, a, 0) == operand(g, a, 1)
               ? g.make(Op::abs, operand(g, a))
               : none;
  case Op::abs:
    return simplify_abs(g, a);
  case Op::min:
  case Op::max:
    return a == b ? a : none;
  case Op::less:
    return a == b ? g.constant(0) : none;
  case Op::less_equal:
  case Op::equal:
    return a == b ? g.constant(1) : none;
  case Op::logical_and:
  case Op::logical_or:
    return simplify_logical(g, op, a, b);
  case Op::logical_not:
    return is(g, a, Op::logical_not) ? operand(g, a) : none;
  case Op::where:
    return simplify_where(g, a, b, c);
  default:
    return none;
  }
}

} // namespace weft
