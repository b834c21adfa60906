#include "form/graph/reciprocals.h"

namespace weft {

PointwiseFunction with_shared_reciprocals(const PointwiseFunction &function) {
  const std::size_t n = function.nodes.size();
  std::vector<int> quotients(n, 0); // [divisor]
  for (const Node &node : function.nodes)
    if (node.op == Op::div)
      ++quotients[node.operand[1]];

  PointwiseFunction result{.symbols = function.symbols};
  std::vector<NodeId> moved(n), reciprocal(n, -1);
  const auto append = [&](const Node &node) {
    result.nodes.push_back(node);
    return static_cast<NodeId>(result.nodes.size() - 1);
  };
  for (std::size_t i = 0; i < n; ++i) {
    Node node = function.nodes[i];
    const NodeId divisor = node.op == Op::div ? node.operand[1] : -1;
    for (NodeId &operand : node.operand)
      if (operand >= 0)
        operand = moved[operand];
    if (divisor >= 0 && reciprocal[divisor] >= 0) {
      node.op = Op::mul;
      node.operand[1] = reciprocal[divisor];
    }
    moved[i] = append(node);
    if (quotients[i] > 1 && node.op != Op::constant) {
      const NodeId one = append({.op = Op::constant, .value = 1});
      reciprocal[i] = append({.op = Op::div, .operand = {one, moved[i], -1}});
    }
  }
  for (const NodeId output : function.outputs)
    result.outputs.push_back(moved[output]);
  return result;
}

} // namespace weft
