#include "form/graph/graph.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "form/graph/operation.h"
#include "form/graph/pointwise.h"
#include "support/form_testing.h"

namespace weft {
namespace {

class GraphTest : public ::testing::Test {
protected:
  NodeId symbol(int component) {
    return g.symbol({.kind = SymbolKind::field, .component = component});
  }
  NodeId pow(NodeId base, double exponent) { return g.make(Op::pow, base, g.constant(exponent)); }
  Graph g;
  NodeId x = symbol(0), y = symbol(1), zero = g.constant(0), one = g.constant(1);
};

TEST_F(GraphTest, EqualExpressionsAreOneNode) {
  EXPECT_EQ(symbol(0), x);
  EXPECT_EQ(g.constant(-0.0), zero);
  EXPECT_EQ(g.add(x, y), g.add(y, x));
  EXPECT_EQ(g.mul(x, g.add(x, y)), g.mul(g.add(y, x), x));
  EXPECT_NE(g.sub(x, y), g.sub(y, x));
  EXPECT_NE(g.make(Op::less, x, y), g.make(Op::less, y, x));
}

TEST_F(GraphTest, NeutralAndAbsorbingElements) {
  EXPECT_EQ(g.add(x, zero), x);
  EXPECT_EQ(g.sub(x, zero), x);
  EXPECT_EQ(g.sub(zero, x), g.neg(x));
  EXPECT_EQ(g.mul(x, one), x);
  EXPECT_EQ(g.mul(zero, x), zero);
  EXPECT_EQ(g.div(x, one), x);
  EXPECT_EQ(g.div(zero, x), zero);
  EXPECT_EQ(g.sub(x, x), zero);
  EXPECT_EQ(g.div(x, x), one);
  EXPECT_EQ(g.mul(x, g.constant(-1)), g.neg(x));
}

TEST_F(GraphTest, SignsMoveOutwards) {
  EXPECT_EQ(g.neg(g.neg(x)), x);
  EXPECT_EQ(g.add(x, g.neg(y)), g.sub(x, y));
  EXPECT_EQ(g.sub(x, g.neg(y)), g.add(x, y));
  EXPECT_EQ(g.mul(g.neg(x), g.neg(y)), g.mul(x, y));
  EXPECT_EQ(g.mul(g.neg(x), y), g.neg(g.mul(x, y)));
  EXPECT_EQ(g.neg(g.sub(x, y)), g.sub(y, x));
}

TEST_F(GraphTest, ConstantsFoldWhereTheResultIsFinite) {
  EXPECT_TRUE(g.is_constant(g.mul(g.constant(3), g.constant(4)), 12));
  EXPECT_EQ(g.mul(g.constant(3), g.mul(x, g.constant(2))), g.mul(g.constant(6), x));
  EXPECT_TRUE(g.is_constant(g.make(Op::sqrt, g.constant(9)), 3));
  const NodeId infinite = g.div(one, zero);
  EXPECT_EQ(g[infinite].op, Op::div);
  EXPECT_EQ(g[g.make(Op::log, zero)].op, Op::log);
}

TEST_F(GraphTest, ConstantFactorsMeet) {
  const NodeId two = g.constant(2), three = g.constant(3), xy = g.mul(x, y);
  EXPECT_EQ(g.mul(g.mul(two, x), g.mul(three, y)), g.mul(g.constant(6), xy));
  EXPECT_EQ(g.add(g.mul(two, x), g.mul(two, y)), g.mul(two, g.add(x, y)));
  EXPECT_EQ(g.sub(g.mul(two, x), g.mul(two, y)), g.mul(two, g.sub(x, y)));
  const Node product = g[g.mul(g.mul(two, x), y)]; // 2*x may be shared: it stays
  EXPECT_EQ(product.operand[0] + product.operand[1], g.mul(two, x) + y);
  EXPECT_EQ(g.mul(g.mul(two, x), g.div(three, y)), g.mul(x, g.div(g.constant(6), y)));
  EXPECT_EQ(g.mul(g.mul(two, x), g.div(g.constant(0.5), y)), g.mul(x, g.div(one, y)));
  EXPECT_EQ(g.neg(g.mul(two, x)), g.mul(g.constant(-2), x));
  EXPECT_EQ(g.div(x, g.constant(4)), g.mul(g.constant(0.25), x)); // exact
  EXPECT_EQ(g[g.div(x, three)].op, Op::div);                      // 1/3 is not
}

TEST_F(GraphTest, ConstantsWhoseProductOverflowsStayApart) {
  const NodeId huge = g.constant(1e200);
  const NodeId f = g.mul(g.mul(huge, g.div(huge, x)), g.div(huge, y));
  EXPECT_EQ(g[f].op, Op::mul);
  EXPECT_EQ(g[g.mul(f, g.mul(huge, f))].op, Op::mul);
}

TEST_F(GraphTest, PowersBecomeProductsRootsAndQuotients) {
  const NodeId x2 = g.mul(x, x);
  EXPECT_EQ(pow(x, 0), one);
  EXPECT_EQ(pow(x, 1), x);
  EXPECT_EQ(pow(x, 2), x2);
  EXPECT_EQ(pow(x, 5), g.mul(x, g.mul(x2, x2)));
  EXPECT_EQ(pow(x, -1), g.div(one, x));
  EXPECT_EQ(pow(x, 0.5), g.make(Op::sqrt, x));
  EXPECT_EQ(pow(x, 1.5), g.mul(x, g.make(Op::sqrt, x)));
  EXPECT_EQ(pow(x, -0.5), g.div(one, g.make(Op::sqrt, x)));
  EXPECT_EQ(g[pow(x, 1.3)].op, Op::pow);
  EXPECT_EQ(g[pow(x, 40)].op, Op::pow);
  EXPECT_EQ(pow(g.make(Op::sqrt, x), 4), x2);
}

TEST_F(GraphTest, ChoicesWithOneOutcomeDisappear) {
  const NodeId c = g.make(Op::less, x, y);
  EXPECT_EQ(g.make(Op::where, c, x, x), x);
  EXPECT_EQ(g.make(Op::where, one, x, y), x);
  EXPECT_EQ(g.make(Op::where, zero, x, y), y);
  EXPECT_EQ(g.make(Op::where, g.make(Op::logical_not, c), x, y), g.make(Op::where, c, y, x));
  EXPECT_EQ(g.make(Op::where, c, g.make(Op::where, c, x, y), one), g.make(Op::where, c, x, one));
  EXPECT_EQ(g.make(Op::logical_and, one, c), c);
  EXPECT_EQ(g.make(Op::logical_or, c, zero), c);
}

TEST_F(GraphTest, ExtractKeepsWhatOutputsNeedInOrder) {
  g.make(Op::exp, y); // dead
  const NodeId sum = g.add(g.mul(x, x), one);
  const NodeId outputs[] = {sum, zero, sum};
  const PointwiseFunction f = extract(g, outputs);
  EXPECT_EQ(f.nodes.size(), 5u); // x, x*x, 1, sum, 0
  EXPECT_EQ(f.symbols.size(), 1u);
  EXPECT_EQ(f.outputs[0], f.outputs[2]);
  EXPECT_TRUE(f.output_is_zero(1));
  EXPECT_FALSE(f.output_is_zero(0));
  for (std::size_t i = 0; i < f.nodes.size(); ++i)
    for (const NodeId operand : f.nodes[i].operand)
      EXPECT_LT(operand, static_cast<NodeId>(i));
  EXPECT_TRUE(f.uses(SymbolKind::field));
  EXPECT_TRUE(f.uses(SymbolKind::field, 0));
  EXPECT_FALSE(f.uses(SymbolKind::field, 1));
  EXPECT_FALSE(f.uses(SymbolKind::time));
  EXPECT_EQ(count_flops(f), 2);
}

TEST_F(GraphTest, DegreesAreThoseOfPolynomials) {
  const auto degree = [&](NodeId node) {
    const NodeId outputs[] = {node};
    return estimate_degree(extract(g, outputs), 0, [](const Symbol &s) { return s.component + 1; });
  };
  EXPECT_EQ(degree(one), 0);
  EXPECT_EQ(degree(x), 1);
  EXPECT_EQ(degree(g.add(x, y)), 2);
  EXPECT_EQ(degree(g.mul(x, y)), 3);
  EXPECT_EQ(degree(pow(y, 3)), 6);
  EXPECT_EQ(degree(pow(y, 100)), 200); // not expanded, and a polynomial all the same
  EXPECT_EQ(degree(pow(y, 17.5)), 4);
  EXPECT_EQ(degree(g.div(y, g.constant(3))), 2);
  EXPECT_EQ(degree(g.make(Op::exp, y)), 4);
  EXPECT_EQ(degree(g.make(Op::where, g.make(Op::less, x, one), y, x)), 4);
}

TEST_F(GraphTest, DegreesEndWhereNobodyCountsThem) {
  const auto degree = [&](NodeId node) {
    const NodeId outputs[] = {node};
    return estimate_degree(extract(g, outputs), 0, [](const Symbol &) { return 1; });
  };
  EXPECT_EQ(degree(pow(x, 1e30)), largest_degree);
  NodeId power = x; // 16^8 is 2^32
  for (int i = 0; i < 8; ++i)
    power = pow(power, 16);
  EXPECT_EQ(degree(power), largest_degree);
  EXPECT_EQ(degree(g.div(power, power)), 0);
  EXPECT_EQ(degree(g.div(one, g.add(power, x))), largest_degree);
  EXPECT_EQ(degree(g.make(Op::exp, power)), largest_degree);
}

// Random operations on each other's results: what the rules make of them has the values of the
// operations one by one.
TEST(GraphRules, KeepTheValues) {
  const std::vector<double> inputs = {0.7, 1.3, 2.1}; // of the symbols
  const double constants[] = {0, 1, -1, 2, 0.5, 3, -2.5, 4, 1e200, -1e200, 1e-200};
  const Op ops[] = {Op::add, Op::sub,  Op::mul, Op::div, Op::neg,
                    Op::abs, Op::sqrt, Op::min, Op::max, Op::pow};
  std::mt19937 random(1);
  for (int trial = 0; trial < 10000; ++trial) {
    Graph g;
    std::vector<NodeId> nodes;
    std::vector<double> values;
    const auto keep = [&](NodeId node, double value) {
      nodes.push_back(node);
      values.push_back(value);
    };
    for (int i = 0; i < 3; ++i) {
      keep(g.symbol({.kind = SymbolKind::field, .component = i}), inputs[i]);
      const double constant = constants[random() % std::size(constants)];
      keep(g.constant(constant), constant);
    }
    for (int step = 0; step < 12; ++step) {
      const Op op = ops[random() % std::size(ops)];
      const std::size_t a = random() % nodes.size(), b = random() % nodes.size();
      const NodeId node = g.make(op, nodes[a], nodes[b]);
      const double value = apply_operation(op, values[a], values[b], 0);
      const double size = std::abs(value);
      const bool cancels = (op == Op::add || op == Op::sub) &&
                           size < 0.01 * (std::abs(values[a]) + std::abs(values[b]));
      if (size > 1e-250 && size < 1e250 && !cancels) // else rounding and overflow decide
        keep(node, value);
    }
    const std::vector<double> found =
        testing::values_at(extract(g, nodes), [&](const Symbol &s) { return inputs[s.component]; });
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(found[i], values[i], 1e-9 * std::abs(values[i])) << trial;
  }
}

} // namespace
} // namespace weft
