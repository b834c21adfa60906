#include "form/graph/factored_sum.h"

#include <optional>

namespace weft {

namespace {

// How far sums inside of sums are looked into; more is not found in physics, and shared sums would
// be looked into time and again.
constexpr int deepest = 4;

// A node as factor * with + without.
struct Split {
  NodeId with, without;
};

std::optional<Split> split(Graph &g, NodeId id, NodeId factor, int depth = deepest) {
  const Node node = g[id]; // not a reference: nodes are added
  if (node.op == Op::mul)
    for (int i = 0; i < 2; ++i)
      if (node.operand[i] == factor)
        return Split{node.operand[1 - i], g.constant(0)};
  if ((node.op != Op::add && node.op != Op::sub) || depth == 0)
    return {};
  if (const auto left = split(g, node.operand[0], factor, depth - 1))
    return Split{left->with, g.make(node.op, left->without, node.operand[1])};
  if (const auto right = split(g, node.operand[1], factor, depth - 1))
    return Split{node.op == Op::sub ? g.neg(right->with) : right->with,
                 g.make(node.op, node.operand[0], right->without)};
  return {};
}

void collect_factors(const Graph &g, NodeId id, std::vector<NodeId> &factors, int depth = deepest) {
  const Node &node = g[id];
  if (node.op == Op::mul)
    factors.insert(factors.end(), {node.operand[0], node.operand[1]});
  if ((node.op != Op::add && node.op != Op::sub) || depth == 0)
    return;
  collect_factors(g, node.operand[0], factors, depth - 1);
  collect_factors(g, node.operand[1], factors, depth - 1);
}

struct SplitRow {
  std::vector<NodeId> with, without;
};

// Entries that are zero have every factor.
std::optional<SplitRow> split_row(Graph &g, const std::vector<NodeId> &row, NodeId factor) {
  SplitRow result;
  for (const NodeId entry : row) {
    const auto parts = g.is_constant(entry, 0) ? Split{entry, entry} : split(g, entry, factor);
    if (!parts)
      return {};
    result.with.push_back(parts->with);
    result.without.push_back(parts->without);
  }
  return result;
}

} // namespace

NodeId factored_sum(Graph &g, std::vector<NodeId> row, std::span<const NodeId> column) {
  std::vector<NodeId> factors;
  int terms = 0;
  for (const NodeId entry : row)
    if (!g.is_constant(entry, 0) && ++terms == 1)
      collect_factors(g, entry, factors);
  if (terms > 1)
    for (const NodeId factor : factors)
      if (const auto parts = split_row(g, row, factor))
        return g.add(g.mul(factor, factored_sum(g, parts->with, column)),
                     factored_sum(g, parts->without, column));
  NodeId sum = g.constant(0);
  for (std::size_t k = 0; k < row.size(); ++k)
    sum = g.add(sum, g.mul(row[k], column[k]));
  return sum;
}

} // namespace weft
