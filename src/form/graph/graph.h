// Scalar expressions as a graph in which equal sub-expressions are one node. No mesh, no layout.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft {

using NodeId = std::int32_t;

enum class Op : std::uint8_t {
  constant, // value
  symbol,   // symbol index
  add,
  sub,
  mul,
  div,
  neg,
  pow, // general power; integer and half powers are expanded to mul, div and sqrt when built
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  abs,
  sign,
  floor,
  min,
  max,
  less,
  less_equal,
  equal,
  logical_and,
  logical_or,
  logical_not, // truth values
  where,       // where(truth, a, b)
};

// What a symbol stands for at a point.
enum class SymbolKind : std::uint8_t {
  field,                   // u[component]
  field_gradient,          // grad(u)[component, direction]
  field_hessian,           // grad(grad(u))[component], direction: see form/graph/hessian_entries.h
  field_rate,              // dt(u)[component]; dt(dt(u)) of order 2
  field_rate_gradient,     // dt(grad(u))[component, direction]; dt(dt(grad(u))) of order 2
  field_rate_hessian,      // as `field_hessian`
  direction,               // the increment w in a linearisation, as `field`
  direction_gradient,      // as `field_gradient`
  direction_hessian,       // as `field_hessian`
  direction_rate,          // s * w (the shift times the direction), s that of the order
  direction_rate_gradient, // as `field_rate_gradient`
  direction_rate_hessian,  // as `field_hessian`
  test,                    // test(u)[component]; never in a PointwiseFunction
  test_gradient,
  test_hessian,
  auxiliary, // known fields
  auxiliary_gradient,
  auxiliary_hessian,
  coordinate, // x, y, z: component
  time,
  normal, // outward, from minus to plus: component
  cell_size,
  rate_offset, // dt(u)[component] = shift * u[component] + rate_offset, see form/weak_form/rates.h
  rate_offset_gradient, // grad() of the field that the offset is
  rate_offset_hessian,
  shift,            // component: which, see form/weak_form/rates.h
  penalty,          // of a facet: of jumps of viscous conservation laws, 1 / length
  facet_offset,     // of finite volumes: from the cell's centre to the facet's middle: component
  limiter,          // of finite volumes: fraction of grad(u)[component] that a reconstruction keeps
  inverse_jacobian, // of the map of a cell: d xi_component / d x_direction
  map_hessian,      // second derivative of x_component by reference coordinates: direction
  cell_parameter,   // component-th entry of the table by region class
  facet_parameter,  // component-th entry of the table by facet class
};

enum class Side : std::uint8_t { none, minus, plus }; // of an interior facet

struct Symbol {
  SymbolKind kind;
  int index = 0;     // which field or auxiliary field
  int component = 0; // or entry of a parameter table
  int direction = 0; // of a gradient; of second derivatives their number
  Side side = Side::none;
  int order = 0; // of a rate: 1 dt(), 2 dt(dt())
  bool operator==(const Symbol &) const = default;
};

struct Node {
  Op op;
  double value = 0;         // constant
  std::int32_t symbol = -1; // symbol: index into Graph::symbols()
  NodeId operand[3] = {-1, -1, -1};
  bool operator==(const Node &) const = default;
};

// Nodes are stored so that operands come before their users. Building simplifies: constants fold,
// x+0, x*1, x*0, -(-x), x-x, x/x and commuted operands meet in one node.
class Graph {
public:
  NodeId constant(double value);
  NodeId symbol(const Symbol &symbol);
  NodeId make(Op op, NodeId a, NodeId b = -1, NodeId c = -1);

  NodeId add(NodeId a, NodeId b) { return make(Op::add, a, b); }
  NodeId sub(NodeId a, NodeId b) { return make(Op::sub, a, b); }
  NodeId mul(NodeId a, NodeId b) { return make(Op::mul, a, b); }
  NodeId div(NodeId a, NodeId b) { return make(Op::div, a, b); }
  NodeId neg(NodeId a) { return make(Op::neg, a); }

  const std::vector<Node> &nodes() const { return nodes_; }
  const std::vector<Symbol> &symbols() const { return symbols_; }
  const Node &operator[](NodeId id) const { return nodes_[id]; }
  bool is_constant(NodeId id, double value) const;

private:
  NodeId intern(const Node &node);
  std::vector<Node> nodes_;
  std::vector<Symbol> symbols_;
  std::unordered_multimap<std::size_t, NodeId> known_;
};

} // namespace weft
