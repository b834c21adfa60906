#include "form/graph/differentiate.h"

#include "form/graph/operation.h"
#include "form/graph/pointwise.h"

namespace weft {

namespace {

// d(x^y) = y x^(y-1) dx + x^y log(x) dy, of which the last is 0 at x = 0, its limit for y > 0.
NodeId derivative_of_pow(Graph &g, NodeId self, NodeId x, NodeId y, NodeId dx, NodeId dy) {
  NodeId result = g.constant(0);
  if (!g.is_constant(dx, 0))
    result = g.mul(g.mul(y, g.make(Op::pow, x, g.sub(y, g.constant(1)))), dx);
  if (!g.is_constant(dy, 0)) {
    const NodeId at_zero = g.make(Op::equal, x, g.constant(0));
    const NodeId by_y = g.make(Op::where, at_zero, g.constant(0), g.mul(self, g.make(Op::log, x)));
    result = g.add(result, g.mul(by_y, dy));
  }
  return result;
}

// df/da of a function of one operand; `self` is the node of f(a).
NodeId derivative_of_function(Graph &g, Op op, NodeId self, NodeId a) {
  const auto one = [&] { return g.constant(1); };
  const auto square = [&](NodeId x) { return g.mul(x, x); };
  switch (op) {
  case Op::sqrt:
    return g.div(g.constant(0.5), self);
  case Op::exp:
    return self;
  case Op::log:
    return g.div(one(), a);
  case Op::sin:
    return g.make(Op::cos, a);
  case Op::cos:
    return g.neg(g.make(Op::sin, a));
  case Op::tan:
    return g.add(one(), square(self));
  case Op::asin:
    return g.div(one(), g.make(Op::sqrt, g.sub(one(), square(a))));
  case Op::acos:
    return g.neg(g.div(one(), g.make(Op::sqrt, g.sub(one(), square(a)))));
  case Op::atan:
    return g.div(one(), g.add(one(), square(a)));
  case Op::sinh:
    return g.make(Op::cosh, a);
  case Op::cosh:
    return g.make(Op::sinh, a);
  case Op::tanh:
    return g.sub(one(), square(self));
  case Op::abs:
    return g.make(Op::sign, a);
  default: // sign, floor, logical_not: constant in pieces
    return g.constant(0);
  }
}

// The derivative of one node from those of its operands (da, db, dc).
NodeId derivative_of_node(Graph &g, NodeId self, NodeId da, NodeId db, NodeId dc) {
  const Node node = g[self]; // a copy: making nodes moves the graph's storage
  const NodeId a = node.operand[0], b = node.operand[1];
  switch (node.op) {
  case Op::add:
    return g.add(da, db);
  case Op::sub:
    return g.sub(da, db);
  case Op::mul:
    return g.add(g.mul(da, b), g.mul(a, db));
  case Op::div: // d(a/b) = (da - (a/b) db) / b; of 1/b as -((a/b)/b) db, of one quotient for all db
    if (g.is_constant(da, 0))
      return g.neg(g.mul(g.div(self, b), db));
    return g.div(g.sub(da, g.mul(self, db)), b);
  case Op::neg:
    return g.neg(da);
  case Op::pow:
    return derivative_of_pow(g, self, a, b, da, db);
  case Op::atan2: // d atan2(a, b) = (b da - a db) / (a^2 + b^2)
    return g.div(g.sub(g.mul(b, da), g.mul(a, db)), g.add(g.mul(a, a), g.mul(b, b)));
  case Op::min:
    return g.make(Op::where, g.make(Op::less, b, a), db, da);
  case Op::max:
    return g.make(Op::where, g.make(Op::less, a, b), db, da);
  case Op::where:
    return g.make(Op::where, a, db, dc);
  default:
    if (num_operands(node.op) != 1 || g.is_constant(da, 0))
      return g.constant(0);
    return g.mul(derivative_of_function(g, node.op, self, a), da);
  }
}

} // namespace

std::vector<bool> reachable(std::span<const Node> nodes, std::span<const NodeId> outputs) {
  std::vector<bool> needed(nodes.size(), false);
  for (const NodeId output : outputs)
    needed[output] = true;
  for (std::size_t id = nodes.size(); id-- > 0;)
    if (needed[id])
      for (const NodeId operand : nodes[id].operand)
        if (operand >= 0)
          needed[operand] = true;
  return needed;
}

std::vector<NodeId> differentiate(Graph &graph, std::span<const NodeId> outputs,
                                  const SymbolDerivative &derivative_of) {
  const std::vector<bool> needed = reachable(graph.nodes(), outputs);
  const NodeId zero = graph.constant(0);
  std::vector<NodeId> tangent(needed.size(), zero);
  for (std::size_t id = 0; id < needed.size(); ++id) {
    if (!needed[id])
      continue;
    const Node node = graph[static_cast<NodeId>(id)];
    if (node.op == Op::symbol) {
      tangent[id] = derivative_of(Symbol(graph.symbols()[node.symbol]));
      continue;
    }
    NodeId d[3] = {zero, zero, zero};
    for (int i = 0; i < num_operands(node.op); ++i)
      d[i] = tangent[node.operand[i]];
    if (d[0] != zero || d[1] != zero || d[2] != zero)
      tangent[id] = derivative_of_node(graph, static_cast<NodeId>(id), d[0], d[1], d[2]);
  }
  std::vector<NodeId> result;
  result.reserve(outputs.size());
  for (const NodeId output : outputs)
    result.push_back(tangent[output]);
  return result;
}

std::vector<NodeId> directional_derivative(Graph &graph, std::span<const NodeId> outputs) {
  return differentiate(graph, outputs, [&](Symbol symbol) {
    switch (symbol.kind) {
    case SymbolKind::field:
      symbol.kind = SymbolKind::direction;
      break;
    case SymbolKind::field_gradient:
      symbol.kind = SymbolKind::direction_gradient;
      break;
    case SymbolKind::field_hessian:
      symbol.kind = SymbolKind::direction_hessian;
      break;
    case SymbolKind::field_rate:
      symbol.kind = SymbolKind::direction_rate;
      break;
    case SymbolKind::field_rate_gradient:
      symbol.kind = SymbolKind::direction_rate_gradient;
      break;
    case SymbolKind::field_rate_hessian:
      symbol.kind = SymbolKind::direction_rate_hessian;
      break;
    default:
      return graph.constant(0);
    }
    return graph.symbol(symbol);
  });
}

std::vector<NodeId> derivative(Graph &graph, std::span<const NodeId> outputs,
                               const Symbol &symbol) {
  return differentiate(graph, outputs,
                       [&](const Symbol &s) { return graph.constant(s == symbol ? 1 : 0); });
}

} // namespace weft
