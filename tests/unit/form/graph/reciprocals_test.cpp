#include "form/graph/reciprocals.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace weft {
namespace {

NodeId value(Graph &g, int component) {
  return g.symbol({.kind = SymbolKind::field, .component = component});
}

std::vector<double> at(const PointwiseFunction &function, std::array<double, 3> inputs) {
  std::vector<std::vector<double>> outputs;
  evaluate(
      function, 1,
      [&](const Symbol &s) { return std::span<const double>(&inputs[s.component], 1); }, outputs);
  std::vector<double> result;
  for (const auto &output : outputs)
    result.push_back(output[0]);
  return result;
}

std::int64_t num_quotients(const PointwiseFunction &function) {
  return std::count_if(function.nodes.begin(), function.nodes.end(),
                       [](const Node &node) { return node.op == Op::div; });
}

TEST(Reciprocals, InvertADivisorOfSeveralQuotientsOnce) {
  Graph g;
  const NodeId a = value(g, 0), b = value(g, 1), c = value(g, 2);
  const NodeId divisor = g.add(c, g.constant(2));
  const std::array outputs = {g.div(a, divisor), g.div(b, divisor),
                              g.div(g.div(a, divisor), g.add(a, b))};
  const PointwiseFunction plain = extract(g, outputs);
  const PointwiseFunction shared = with_shared_reciprocals(plain);
  EXPECT_EQ(num_quotients(plain), 3);
  EXPECT_EQ(num_quotients(shared), 2);
  const auto expected = at(plain, {1.3, -0.7, 4.1}), found = at(shared, {1.3, -0.7, 4.1});
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 4e-16 * std::abs(expected[i]) + 1e-300);
}

TEST(Reciprocals, LeaveSingleQuotientsAsTheyAre) {
  Graph g;
  const std::array outputs = {g.div(value(g, 0), value(g, 1)), g.mul(value(g, 1), value(g, 2))};
  const PointwiseFunction plain = extract(g, outputs);
  const PointwiseFunction same = with_shared_reciprocals(plain);
  EXPECT_EQ(same.nodes, plain.nodes);
  EXPECT_EQ(same.outputs, plain.outputs);
}

} // namespace
} // namespace weft
