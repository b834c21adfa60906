#include "form/graph/rewrite.h"

#include <algorithm>

#include "form/graph/differentiate.h"
#include "form/graph/operation.h"

namespace weft {

namespace {

// The new node of each old one that the outputs need, [node]; -1 for the others.
std::vector<NodeId> rebuild(Graph &graph, std::span<const NodeId> outputs,
                            const SymbolNode &value_of) {
  const std::vector<bool> needed = reachable(graph.nodes(), outputs);
  std::vector<NodeId> map(needed.size(), -1);
  for (std::size_t id = 0; id < needed.size(); ++id) {
    if (!needed[id])
      continue;
    const Node node = graph[static_cast<NodeId>(id)]; // a copy: making nodes moves the storage
    const auto operand = [&](int k) { return node.operand[k] < 0 ? -1 : map[node.operand[k]]; };
    const bool same = operand(0) == node.operand[0] && operand(1) == node.operand[1] &&
                      operand(2) == node.operand[2];
    if (node.op == Op::symbol)
      map[id] = value_of(graph, Symbol(graph.symbols()[node.symbol]));
    else if (same)
      map[id] = static_cast<NodeId>(id);
    else
      map[id] = graph.make(node.op, operand(0), operand(1), operand(2));
  }
  return map;
}

// f(s) - f(0) of an operation from the same of its operands.
NodeId part_of_node(Graph &g, NodeId self, const std::vector<NodeId> &at_zero,
                    const std::vector<NodeId> &part) {
  const Node node = g[self];
  const NodeId a = node.operand[0], b = node.operand[1], c = node.operand[2];
  const auto changes = [&](NodeId id) { return !g.is_constant(part[id], 0); };
  switch (node.op) {
  case Op::add:
    return g.add(part[a], part[b]);
  case Op::sub:
    return g.sub(part[a], part[b]);
  case Op::neg:
    return g.neg(part[a]);
  case Op::mul: // a b - a0 b0 = (a - a0) b + a0 (b - b0)
    return g.add(g.mul(part[a], b), g.mul(at_zero[a], part[b]));
  case Op::div:
    if (!changes(b))
      return g.div(part[a], b);
    break;
  case Op::where:
    if (!changes(a))
      return g.make(Op::where, a, part[b], part[c]);
    break;
  default:
    break;
  }
  return g.sub(self, at_zero[self]);
}

} // namespace

std::vector<NodeId> substitute(Graph &graph, std::span<const NodeId> outputs,
                               const SymbolNode &value_of) {
  const std::vector<NodeId> map = rebuild(graph, outputs, value_of);
  std::vector<NodeId> result;
  for (const NodeId output : outputs)
    result.push_back(map[output]);
  return result;
}

std::vector<NodeId> insert(Graph &graph, const PointwiseFunction &function,
                           const SymbolNode &value_of) {
  std::vector<NodeId> map;
  for (const Node &node : function.nodes) {
    const auto operand = [&](int k) { return node.operand[k] < 0 ? -1 : map[node.operand[k]]; };
    if (node.op == Op::constant)
      map.push_back(graph.constant(node.value));
    else if (node.op == Op::symbol)
      map.push_back(value_of(graph, function.symbols[node.symbol]));
    else
      map.push_back(graph.make(node.op, operand(0), operand(1), operand(2)));
  }
  std::vector<NodeId> result;
  for (const NodeId output : function.outputs)
    result.push_back(map[output]);
  return result;
}

std::vector<NodeId> insert(Graph &graph, const PointwiseFunction &function) {
  return insert(graph, function, [](Graph &g, const Symbol &symbol) { return g.symbol(symbol); });
}

std::vector<NodeId> part_with(Graph &graph, std::span<const NodeId> outputs,
                              const std::function<bool(const Symbol &)> &chosen) {
  const std::vector<bool> needed = reachable(graph.nodes(), outputs);
  const std::vector<NodeId> at_zero = rebuild(graph, outputs, [&](Graph &g, const Symbol &symbol) {
    return chosen(symbol) ? g.constant(0) : g.symbol(symbol);
  });
  const NodeId zero = graph.constant(0);
  std::vector<NodeId> part(needed.size(), zero);
  for (std::size_t id = 0; id < needed.size(); ++id) {
    const auto self = static_cast<NodeId>(id);
    if (!needed[id] || at_zero[id] == self) // does not change
      continue;
    part[id] = graph[self].op == Op::symbol ? self : part_of_node(graph, self, at_zero, part);
  }
  std::vector<NodeId> result;
  for (const NodeId output : outputs)
    result.push_back(part[output]);
  return result;
}

bool depends_on(const Graph &graph, std::span<const NodeId> outputs, SymbolKind kind) {
  const std::vector<bool> needed = reachable(graph.nodes(), outputs);
  for (std::size_t id = 0; id < needed.size(); ++id) {
    const Node &node = graph[static_cast<NodeId>(id)];
    if (needed[id] && node.op == Op::symbol && graph.symbols()[node.symbol].kind == kind)
      return true;
  }
  return false;
}

} // namespace weft
