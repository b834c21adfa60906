#include "form/graph/pointwise.h"

#include <algorithm>
#include <cmath>

#include "form/graph/differentiate.h"
#include "form/graph/operation.h"

namespace weft {

bool PointwiseFunction::uses(SymbolKind kind) const {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const Symbol &s) { return s.kind == kind; });
}

bool PointwiseFunction::uses(SymbolKind kind, int index) const {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const Symbol &s) { return s.kind == kind && s.index == index; });
}

std::vector<int> count_uses(const PointwiseFunction &function) {
  std::vector<int> uses(function.nodes.size(), 0);
  for (const Node &node : function.nodes)
    for (const NodeId operand : node.operand)
      if (operand >= 0)
        ++uses[operand];
  for (const NodeId output : function.outputs)
    ++uses[output];
  return uses;
}

PointwiseFunction extract(const Graph &graph, std::span<const NodeId> outputs) {
  const std::vector<bool> needed = reachable(graph.nodes(), outputs);
  PointwiseFunction function;
  std::vector<NodeId> new_id(needed.size(), -1);
  std::vector<std::int32_t> new_symbol(graph.symbols().size(), -1);
  for (std::size_t id = 0; id < needed.size(); ++id) {
    if (!needed[id])
      continue;
    Node node = graph[static_cast<NodeId>(id)];
    if (node.op == Op::symbol) {
      new_symbol[node.symbol] = static_cast<std::int32_t>(function.symbols.size());
      function.symbols.push_back(graph.symbols()[node.symbol]);
      node.symbol = new_symbol[node.symbol];
    }
    for (NodeId &operand : node.operand)
      if (operand >= 0)
        operand = new_id[operand];
    new_id[id] = static_cast<NodeId>(function.nodes.size());
    function.nodes.push_back(node);
  }
  for (const NodeId output : outputs)
    function.outputs.push_back(new_id[output]);
  return function;
}

int count_flops(const PointwiseFunction &function) {
  return static_cast<int>(
      std::count_if(function.nodes.begin(), function.nodes.end(), [](const Node &n) {
        return num_operands(n.op) > 0 && n.op != Op::logical_and && n.op != Op::logical_or &&
               n.op != Op::logical_not;
      }));
}

int estimate_degree(const PointwiseFunction &function, int output,
                    const std::function<int(const Symbol &)> &degree_of, int not_polynomial) {
  std::vector<int> degree;
  const auto at_most = [](double value) {
    return static_cast<int>(std::min<double>(value, largest_degree));
  };
  for (const Node &n : function.nodes) {
    int d[3] = {0, 0, 0};
    for (int i = 0; i < num_operands(n.op); ++i)
      d[i] = degree[n.operand[i]];
    const int largest = std::max({d[0], d[1], d[2]});
    switch (n.op) {
    case Op::constant:
      degree.push_back(0);
      break;
    case Op::symbol:
      degree.push_back(degree_of(function.symbols[n.symbol]));
      break;
    case Op::add:
    case Op::sub:
    case Op::neg:
      degree.push_back(largest);
      break;
    case Op::mul:
      degree.push_back(at_most(d[0] + d[1]));
      break;
    case Op::div:
      degree.push_back(at_most(d[0] + (d[1] > 0 ? d[1] + not_polynomial : 0)));
      break;
    case Op::pow: // whole powers are polynomials, the larger ones too
      if (const Node &exponent = function.nodes[n.operand[1]];
          exponent.op == Op::constant && exponent.value > 0 &&
          exponent.value == std::floor(exponent.value)) {
        degree.push_back(at_most(d[0] * exponent.value));
        break;
      }
      degree.push_back(largest > 0 ? at_most(largest + not_polynomial) : 0);
      break;
    case Op::where: // a switch that is constant in a cell changes nothing
      degree.push_back(at_most(std::max(d[1], d[2]) + (d[0] > 0 ? not_polynomial : 0)));
      break;
    default:
      degree.push_back(largest > 0 ? at_most(largest + not_polynomial) : 0);
    }
  }
  return degree[function.outputs[output]];
}

} // namespace weft
