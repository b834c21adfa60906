#include "form/weak_form/rates.h"

namespace weft {

PointwiseFunction with_shift(const PointwiseFunction &function) {
  if (!function.uses(SymbolKind::field_rate) && !function.uses(SymbolKind::direction_rate))
    return function;
  Graph graph;
  const auto symbol = [&](Symbol s) {
    const auto scaled = [&](SymbolKind kind) {
      s.kind = kind;
      return graph.mul(graph.symbol({.kind = SymbolKind::shift}), graph.symbol(s));
    };
    if (s.kind == SymbolKind::direction_rate)
      return scaled(SymbolKind::direction);
    if (s.kind != SymbolKind::field_rate)
      return graph.symbol(s);
    Symbol offset = s;
    offset.kind = SymbolKind::rate_offset;
    return graph.add(scaled(SymbolKind::field), graph.symbol(offset));
  };
  std::vector<NodeId> map;
  for (const Node &node : function.nodes) {
    const auto operand = [&](int k) {
      return node.operand[k] < 0 ? NodeId{-1} : map[node.operand[k]];
    };
    if (node.op == Op::constant)
      map.push_back(graph.constant(node.value));
    else if (node.op == Op::symbol)
      map.push_back(symbol(function.symbols[node.symbol]));
    else
      map.push_back(graph.make(node.op, operand(0), operand(1), operand(2)));
  }
  std::vector<NodeId> outputs;
  for (const NodeId output : function.outputs)
    outputs.push_back(map[output]);
  return extract(graph, outputs);
}

} // namespace weft
