// Tabulated functions: values and derivatives, linear and monotone cubic, beyond their rows.
#include "form/expression/tabulated.h"

#include <cmath>
#include <gtest/gtest.h>

#include "form/graph/pointwise.h"
#include "support/form_testing.h"

namespace weft {
namespace {

struct ValueAndSlope {
  double value, slope;
};

ValueAndSlope at(const TabulatedFunction &function, double x) {
  Graph graph;
  const Symbol symbol{.kind = SymbolKind::field};
  const NodeId value = tabulated(graph, function, graph.symbol(symbol));
  std::vector<NodeId> outputs = {value};
  outputs.push_back(derivative(graph, outputs, symbol).front());
  const std::vector<double> found =
      testing::values_at(extract(graph, outputs), [x](const Symbol &) { return x; });
  return {found[0], found[1]};
}

const TabulatedFunction rows = {
    .file = "f.csv", .at = {0, 1, 2.5, 3, 5, 6}, .values = {1, 2, 2.25, 4, 4, 1}};

TEST(Tabulated, LinearBetweenItsRows) {
  for (std::size_t i = 0; i + 1 < rows.at.size(); ++i)
    for (const double share : {0.0, 0.3, 0.99}) {
      const double length = rows.at[i + 1] - rows.at[i], rise = rows.values[i + 1] - rows.values[i];
      const ValueAndSlope found = at(rows, rows.at[i] + share * length);
      EXPECT_NEAR(found.value, rows.values[i] + share * rise, 1e-14);
      EXPECT_NEAR(found.slope, rise / length, 1e-14);
    }
  EXPECT_EQ(at(rows, 6).value, 1);
}

// Values of SciPy's PchipInterpolator, 1.13.
TEST(Tabulated, CubicIsMonotone) {
  TabulatedFunction cubic = rows;
  cubic.cubic = true;
  const double expected[][3] = {{0.25, 1.3296875, 1.28125},
                                {0.9, 1.9597, 0.5023333333333333},
                                {1.7, 2.1069185185185186, 0.07988888888888884},
                                {2.6, 2.456, 3.48},
                                {2.99, 3.9980015, 0.39705},
                                {4, 4, 0},
                                {5.3, 3.604, -2.46},
                                {5.9, 1.408, -4.14}};
  for (const auto &[x, value, slope] : expected) {
    EXPECT_NEAR(at(cubic, x).value, value, 1e-12) << x;
    EXPECT_NEAR(at(cubic, x).slope, slope, 1e-12) << x;
  }
  // Of two rows, and of rows on a line, it is the line.
  const TabulatedFunction two = {.at = {1, 3}, .values = {2, -4}, .cubic = true};
  const TabulatedFunction line = {.at = {0, 1, 4, 5}, .values = {1, 3, 9, 11}, .cubic = true};
  EXPECT_NEAR(at(two, 1.5).value, 0.5, 1e-14);
  EXPECT_NEAR(at(line, 3.3).value, 7.6, 1e-14);
  EXPECT_NEAR(at(line, 0.2).slope, 2, 1e-13);
}

TEST(Tabulated, BeyondItsRows) {
  for (const bool is_cubic : {false, true}) {
    TabulatedFunction f = rows;
    f.cubic = is_cubic;
    f.outside = OutsideTable::constant;
    EXPECT_EQ(at(f, -3).value, 1);
    EXPECT_EQ(at(f, -3).slope, 0);
    EXPECT_EQ(at(f, 60).value, 1);
    EXPECT_EQ(at(f, 60).slope, 0);
    f.outside = OutsideTable::linear;
    const double first = at(f, 0).slope, last = at(f, 6).slope;
    EXPECT_NEAR(at(f, -3).value, 1 - 3 * first, 1e-13);
    EXPECT_NEAR(at(f, 8).value, 1 + 2 * last, 1e-13);
    EXPECT_NEAR(at(f, 8).slope, last, 1e-13);
    EXPECT_NEAR(last, is_cubic ? -4.5 : -3, 0.6); // it goes on downwards
  }
}

TEST(Tabulated, OfAConstantIsOne) {
  Graph graph;
  const NodeId value = tabulated(graph, rows, graph.constant(2));
  EXPECT_TRUE(graph.is_constant(value, 2 + 0.25 * 2 / 3));
}

} // namespace
} // namespace weft
