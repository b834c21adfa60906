// Symbols replaced, and the part of an expression that is there because of some.
#include "form/graph/rewrite.h"

#include "form/expression/elaborate.h"
#include "support/form_testing.h"

namespace weft {
namespace {

using testing::some_value;

const Symbol x_symbol{.kind = SymbolKind::coordinate, .component = 0};
const Symbol y_symbol{.kind = SymbolKind::coordinate, .component = 1};

struct Expressions {
  FormSpec spec{.dim = 2};
  Elaborator elaborator{spec};
  std::vector<NodeId> make(const std::string &text) {
    return elaborator.evaluate(testing::text(text), {}).components;
  }
  Graph &graph() { return elaborator.graph(); }
  double value(NodeId node, double x, double y) {
    return testing::values_at(extract(graph(), std::span(&node, 1)), [&](const Symbol &s) {
      return s == x_symbol ? x : s == y_symbol ? y : some_value(s);
    })[0];
  }
};

TEST(Rewrite, SymbolsAreReplacedAtOnce) {
  Expressions e;
  const auto before = e.make("[x - 2*y, sin(x)/y]");
  const auto swapped = substitute(e.graph(), before, [](Graph &g, const Symbol &s) {
    return g.symbol(s == x_symbol ? y_symbol : s == y_symbol ? x_symbol : s);
  });
  for (int i = 0; i < 2; ++i)
    EXPECT_DOUBLE_EQ(e.value(swapped[i], 0.3, 0.7), e.value(before[i], 0.7, 0.3));
}

TEST(Rewrite, WhatIsNotReplacedStaysTheSameNode) {
  Expressions e;
  const auto before = e.make("[(y + t)^2*sqrt(1 + y), x]");
  const auto after = substitute(e.graph(), before, [](Graph &g, const Symbol &s) {
    return s == x_symbol ? g.constant(3) : g.symbol(s);
  });
  EXPECT_EQ(after[0], before[0]);
  EXPECT_TRUE(e.graph().is_constant(after[1], 3));
}

TEST(Rewrite, ThePartWithSymbols) {
  Expressions e;
  const auto chosen = [](const Symbol &s) { return s == x_symbol; };
  for (const char *text :
       {"3*x - y", "y + t*x", "(x + y)*(x - t)", "(x + 2*y)/t", "y/(1 + x)", "sin(x + y)",
        "where(y < 1, x, y)", "where(x < 1, y, t)", "-(x + y)", "max(x, y)", "y*t"}) {
    SCOPED_TRACE(text);
    const auto whole = e.make(text);
    const NodeId part = part_with(e.graph(), whole, chosen)[0];
    for (const double x : {0.3, 1.7})
      EXPECT_NEAR(e.value(part, x, 0.6), e.value(whole[0], x, 0.6) - e.value(whole[0], 0, 0.6),
                  1e-15);
  }
}

// The part is written without the terms that cancel.
TEST(Rewrite, ThePartWithSymbolsOfASumIsItsTerms) {
  Expressions e;
  const auto terms = e.make("[y*t + x*t, x*t, y*t]");
  const auto part = part_with(e.graph(), terms, [](const Symbol &s) { return s == x_symbol; });
  EXPECT_EQ(part[0], terms[1]);
  EXPECT_EQ(part[1], terms[1]);
  EXPECT_TRUE(e.graph().is_constant(part[2], 0));
}

TEST(Rewrite, Dependence) {
  Expressions e;
  const auto nodes = e.make("[x + t, y]");
  EXPECT_TRUE(depends_on(e.graph(), nodes, SymbolKind::time));
  EXPECT_FALSE(depends_on(e.graph(), std::span(&nodes[1], 1), SymbolKind::time));
}

} // namespace
} // namespace weft
