#include "form/graph/graph.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "form/graph/operation.h"
#include "form/graph/simplify.h"

namespace weft {

namespace {

std::size_t hash_of(const Node &node) {
  std::uint64_t h = static_cast<std::uint64_t>(node.op);
  const auto mix = [&](std::uint64_t part) {
    h ^= part + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdull;
  };
  mix(std::bit_cast<std::uint64_t>(node.value));
  mix(static_cast<std::uint64_t>(node.symbol) + 1);
  for (const NodeId operand : node.operand)
    mix(static_cast<std::uint64_t>(operand) + 1);
  return h;
}

} // namespace

NodeId Graph::intern(const Node &node) {
  const std::size_t hash = hash_of(node);
  const auto [first, last] = known_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (nodes_[it->second] == node)
      return it->second;
  const auto id = static_cast<NodeId>(nodes_.size());
  nodes_.push_back(node);
  known_.emplace(hash, id);
  return id;
}

NodeId Graph::constant(double value) {
  require(std::isfinite(value), "a constant of an expression is finite");
  return intern({.op = Op::constant, .value = value == 0 ? 0.0 : value}); // one zero only
}

NodeId Graph::symbol(const Symbol &symbol) {
  auto found = std::find(symbols_.begin(), symbols_.end(), symbol);
  if (found == symbols_.end())
    found = symbols_.insert(symbols_.end(), symbol);
  return intern({.op = Op::symbol, .symbol = static_cast<std::int32_t>(found - symbols_.begin())});
}

NodeId Graph::make(Op op, NodeId a, NodeId b, NodeId c) {
  const int arity = num_operands(op);
  require(arity > 0, "constants and symbols are not made from operands");
  const NodeId operands[3] = {a, b, c};
  bool all_constant = true;
  for (int i = 0; i < arity; ++i) {
    require(operands[i] >= 0 && operands[i] < static_cast<NodeId>(nodes_.size()),
            "an operand is a node of the graph");
    all_constant = all_constant && nodes_[operands[i]].op == Op::constant;
  }
  if (all_constant) {
    const auto value = [&](int i) { return i < arity ? nodes_[operands[i]].value : 0.0; };
    const double folded = apply_operation(op, value(0), value(1), value(2));
    if (std::isfinite(folded)) // 1/0 stays as it is, and is seen where it is evaluated
      return constant(folded);
  }
  if (const NodeId simpler = simplify(*this, op, a, b, c); simpler >= 0)
    return simpler;
  if (is_commutative(op) && b < a)
    std::swap(a, b);
  Node node{.op = op};
  node.operand[0] = a;
  node.operand[1] = arity > 1 ? b : -1;
  node.operand[2] = arity > 2 ? c : -1;
  return intern(node);
}

bool Graph::is_constant(NodeId id, double value) const {
  return nodes_[id].op == Op::constant && nodes_[id].value == value;
}

} // namespace weft
