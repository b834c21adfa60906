#include "form/graph/factored_sum.h"

#include <array>

#include <gtest/gtest.h>

#include "form/graph/pointwise.h"

namespace weft {
namespace {

NodeId field_node(Graph &g, int component) {
  return g.symbol({.kind = SymbolKind::field, .component = component});
}
NodeId normal_node(Graph &g, int component) {
  return g.symbol({.kind = SymbolKind::normal, .component = component});
}

constexpr std::array<double, 4> fields_at_point = {1.3, -0.7, 4.1, 0.9};
constexpr std::array<double, 3> normal_at_point = {0.36, -0.48, 0.8};

std::vector<double> at_point(const PointwiseFunction &function) {
  std::vector<std::vector<double>> outputs;
  const auto input = [](const Symbol &s) {
    return s.kind == SymbolKind::normal ? std::span(&normal_at_point[s.component], 1)
                                        : std::span(&fields_at_point[s.component], 1);
  };
  evaluate(function, 1, input, outputs);
  std::vector<double> result;
  for (const auto &output : outputs)
    result.push_back(output[0]);
  return result;
}

// The rows' sums with the normal, one after the other.
struct RowSums {
  Graph graph;
  std::vector<NodeId> factored, plain;

  void add(const std::vector<NodeId> &row) {
    const std::array column = {normal_node(graph, 0), normal_node(graph, 1), normal_node(graph, 2)};
    factored.push_back(factored_sum(graph, row, column));
    NodeId sum = graph.constant(0);
    for (int k = 0; k < 3; ++k)
      sum = graph.add(sum, graph.mul(row[k], column[k]));
    plain.push_back(sum);
  }
  int flops(const std::vector<NodeId> &outputs) const {
    return count_flops(extract(graph, outputs));
  }
  void expect_equal() const {
    const auto found = at_point(extract(graph, factored));
    const auto expected = at_point(extract(graph, plain));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-15 * (1 + std::abs(expected[i]))) << i;
  }
};

// outer(u, u) + p*identity, halved: p n_i and the product of u_i with a sum that the rows share.
TEST(FactoredSum, TakesOutWhatARowHasInCommon) {
  RowSums sums;
  Graph &g = sums.graph;
  for (int i = 0; i < 3; ++i) {
    std::vector<NodeId> row;
    for (int j = 0; j < 3; ++j) {
      NodeId entry = g.mul(field_node(g, i), field_node(g, j));
      if (i == j)
        entry = g.add(entry, field_node(g, 3));
      row.push_back(g.mul(g.constant(0.5), entry));
    }
    sums.add(row);
  }
  sums.expect_equal();
  EXPECT_EQ(sums.flops(sums.factored), 5 + 3 * (3 + 1));
  EXPECT_EQ(sums.flops(sums.plain), 30);
}

TEST(FactoredSum, FindsFactorsInDifferencesAndBesideZeros) {
  RowSums sums;
  Graph &g = sums.graph;
  const NodeId a = field_node(g, 0), b = field_node(g, 1), c = field_node(g, 2),
               d = field_node(g, 3);
  sums.add({g.sub(b, g.mul(a, c)), g.sub(g.mul(a, d), c), g.constant(0)});
  sums.add({g.constant(0), g.mul(a, c), g.sub(g.mul(b, a), g.mul(a, d))});
  sums.expect_equal();
}

TEST(FactoredSum, LeavesRowsWithoutACommonFactorAsTheyAre) {
  RowSums sums;
  Graph &g = sums.graph;
  const NodeId a = field_node(g, 0), b = field_node(g, 1), c = field_node(g, 2),
               d = field_node(g, 3);
  sums.add({a, g.mul(b, c), d});
  sums.add({g.constant(0), g.mul(b, c), g.constant(0)});
  EXPECT_EQ(sums.factored, sums.plain);
}

} // namespace
} // namespace weft
