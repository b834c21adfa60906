// Every operation: its value against C++ written out, its derivative against differences.
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "form/graph/operation.h"
#include "form/graph/pointwise.h"
#include "support/form_testing.h"

namespace weft {
namespace {

struct OperationCase {
  Op op;
  double (*direct)(double, double, double);
  std::vector<std::vector<double>> points; // where the derivative exists
};

const std::vector<OperationCase> cases = {
    {Op::add, [](double a, double b, double) { return a + b; }, {{0.3, -0.8}}},
    {Op::sub, [](double a, double b, double) { return a - b; }, {{0.3, -0.8}}},
    {Op::mul, [](double a, double b, double) { return a * b; }, {{0.3, -0.8}}},
    {Op::div, [](double a, double b, double) { return a / b; }, {{0.3, -0.8}, {-2.0, 3.0}}},
    {Op::neg, [](double a, double, double) { return -a; }, {{0.7}}},
    {Op::pow, [](double a, double b, double) { return std::pow(a, b); }, {{1.3, 0.7}, {0.4, -2.2}}},
    {Op::sqrt, [](double a, double, double) { return std::sqrt(a); }, {{0.7}, {4.0}}},
    {Op::exp, [](double a, double, double) { return std::exp(a); }, {{0.7}, {-1.1}}},
    {Op::log, [](double a, double, double) { return std::log(a); }, {{0.7}, {3.0}}},
    {Op::sin, [](double a, double, double) { return std::sin(a); }, {{0.7}, {-2.0}}},
    {Op::cos, [](double a, double, double) { return std::cos(a); }, {{0.7}, {-2.0}}},
    {Op::tan, [](double a, double, double) { return std::tan(a); }, {{0.7}, {-1.0}}},
    {Op::asin, [](double a, double, double) { return std::asin(a); }, {{0.7}, {-0.2}}},
    {Op::acos, [](double a, double, double) { return std::acos(a); }, {{0.7}, {-0.2}}},
    {Op::atan, [](double a, double, double) { return std::atan(a); }, {{0.7}, {-2.0}}},
    {Op::atan2,
     [](double a, double b, double) { return std::atan2(a, b); },
     {{0.7, 0.4}, {-0.3, 0.5}, {0.6, -0.2}, {-0.5, -0.8}}},
    {Op::sinh, [](double a, double, double) { return std::sinh(a); }, {{0.7}, {-1.2}}},
    {Op::cosh, [](double a, double, double) { return std::cosh(a); }, {{0.7}, {-1.2}}},
    {Op::tanh, [](double a, double, double) { return std::tanh(a); }, {{0.7}, {-1.2}}},
    {Op::abs, [](double a, double, double) { return std::abs(a); }, {{0.7}, {-1.2}}},
    {Op::sign, [](double a, double, double) { return double((a > 0) - (a < 0)); }, {{0.7}, {-1.2}}},
    {Op::floor, [](double a, double, double) { return std::floor(a); }, {{0.7}, {-1.2}}},
    {Op::min, [](double a, double b, double) { return std::fmin(a, b); }, {{1, 2}, {2, 1}}},
    {Op::max, [](double a, double b, double) { return std::fmax(a, b); }, {{1, 2}, {2, 1}}},
    {Op::less, [](double a, double b, double) { return double(a < b); }, {{1, 2}, {2, 1}}},
    {Op::less_equal, [](double a, double b, double) { return double(a <= b); }, {{1, 2}, {2, 1}}},
    {Op::equal, [](double a, double b, double) { return double(a == b); }, {{1, 2}}},
    {Op::logical_and, [](double a, double b, double) { return double(a && b); }, {{1, 0}, {1, 1}}},
    {Op::logical_or, [](double a, double b, double) { return double(a || b); }, {{1, 0}, {0, 0}}},
    {Op::logical_not, [](double a, double, double) { return double(!a); }, {{1}, {0}}},
    {Op::where, [](double a, double b, double c) { return a ? b : c; }, {{1, 3, 4}, {0, 3, 4}}},
};

Symbol operand_symbol(int i) {
  return {.kind = SymbolKind::field, .component = i};
}

NodeId node_of(Graph &g, Op op) {
  NodeId operands[3] = {-1, -1, -1};
  for (int i = 0; i < num_operands(op); ++i)
    operands[i] = g.symbol(operand_symbol(i));
  return g.make(op, operands[0], operands[1], operands[2]);
}

double value(const PointwiseFunction &f, const std::vector<double> &point) {
  return testing::values_at(f, [&](const Symbol &s) { return point[s.component]; })[0];
}

PointwiseFunction function_of(const Graph &g, NodeId node) {
  return extract(g, std::span(&node, 1));
}

TEST(Operations, AllAreTested) {
  EXPECT_EQ(cases.size(), static_cast<std::size_t>(Op::where) - 1u); // not constant and symbol
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(cases[i].op), i + 2);
}

TEST(Operations, ValuesAreThoseOfCpp) {
  for (const OperationCase &c : cases) {
    Graph g;
    const PointwiseFunction f = function_of(g, node_of(g, c.op));
    for (std::vector<double> p : c.points) {
      const double found = value(f, p);
      p.resize(3);
      EXPECT_EQ(found, c.direct(p[0], p[1], p[2])) << name_of(c.op);
      EXPECT_EQ(apply_operation(c.op, p[0], p[1], p[2]), found) << name_of(c.op);
    }
  }
  EXPECT_EQ(apply_operation(Op::sign, 0, 0, 0), 0);
}

// Central differences over steps of 1e-2 to 1e-6: the error falls with the square of the step until
// rounding; the best must agree to 1e-9.
TEST(Operations, DerivativesAgreeWithDifferences) {
  for (const OperationCase &c : cases) {
    const bool of_numbers = c.op < Op::less;
    if (!of_numbers && c.op != Op::where)
      continue;
    for (int i = c.op == Op::where ? 1 : 0; i < num_operands(c.op); ++i) {
      Graph g;
      const NodeId node = node_of(g, c.op);
      const PointwiseFunction f = function_of(g, node);
      const NodeId d = derivative(g, std::span(&node, 1), operand_symbol(i))[0];
      const PointwiseFunction df = function_of(g, d);
      for (const std::vector<double> &p : c.points) {
        const double exact = value(df, p);
        double best = 1, coarse = 0;
        for (double h = 1e-2; h > 5e-7; h /= 10) {
          std::vector<double> above = p, below = p;
          above[i] += h;
          below[i] -= h;
          const double error = std::abs((value(f, above) - value(f, below)) / (2 * h) - exact);
          best = std::min(best, error);
          coarse = std::max(coarse, error);
        }
        EXPECT_LT(best, 1e-9 * (1 + std::abs(exact))) << name_of(c.op) << " operand " << i;
        EXPECT_LT(coarse, 1e-2 * (1 + std::abs(exact))) << name_of(c.op) << " operand " << i;
      }
    }
  }
}

// x^y is 0 at x = 0 for all y > 0, and so is its derivative by y.
TEST(Operations, PowersOfZeroDoNotChangeWithTheExponent) {
  Graph g;
  const NodeId x = g.symbol(operand_symbol(0)), y = g.symbol(operand_symbol(1));
  const NodeId power = g.make(Op::pow, x, y);
  const NodeId d = derivative(g, std::span(&power, 1), operand_symbol(1))[0];
  for (const double base : {0.0, 0.5}) {
    const double value = testing::values_at(extract(g, std::span(&d, 1)), [&](const Symbol &s) {
      return s == operand_symbol(0) ? base : 2.5;
    })[0];
    EXPECT_DOUBLE_EQ(value, base == 0 ? 0 : std::pow(base, 2.5) * std::log(base));
  }
}

TEST(Operations, DirectionalDerivativeFollowsFieldsGradientsAndRates) {
  Graph g;
  const Symbol u{.kind = SymbolKind::field},
      gradient{.kind = SymbolKind::field_gradient, .direction = 1};
  const Symbol rate{.kind = SymbolKind::field_rate}, x{.kind = SymbolKind::coordinate};
  const NodeId f =
      g.mul(g.mul(g.symbol(u), g.symbol(gradient)), g.mul(g.symbol(rate), g.symbol(x)));
  const NodeId d = directional_derivative(g, std::span(&f, 1))[0];
  const auto at = [](const Symbol &s) {
    switch (s.kind) {
    case SymbolKind::field:
      return 2.0;
    case SymbolKind::field_gradient:
      return 3.0;
    case SymbolKind::field_rate:
      return 5.0;
    case SymbolKind::coordinate:
      return 7.0;
    case SymbolKind::direction:
      return 11.0;
    case SymbolKind::direction_gradient:
      return s.direction == 1 ? 13.0 : NAN;
    case SymbolKind::direction_rate:
      return 17.0;
    default:
      return static_cast<double>(NAN);
    }
  };
  EXPECT_DOUBLE_EQ(testing::values_at(function_of(g, d), at)[0],
                   7 * (11 * 3 * 5 + 2 * 13 * 5 + 2 * 3 * 17));
}

TEST(Operations, EvaluationInBlocksIsThatOfEachPoint) {
  Graph g;
  const NodeId a = g.symbol(operand_symbol(0)), b = g.symbol(operand_symbol(1));
  const NodeId outputs[] = {g.add(g.make(Op::sin, a), g.div(b, g.constant(3))), a, g.constant(2)};
  const PointwiseFunction f = extract(g, outputs);
  for (const int n : {0, 1, 255, 256, 257, 1000}) {
    std::vector<double> in[2];
    for (int q = 0; q < n; ++q) {
      in[0].push_back(0.01 * q);
      in[1].push_back(1.0 - q);
    }
    std::vector<std::vector<double>> out;
    evaluate(
        f, n, [&](const Symbol &s) { return std::span<const double>(in[s.component]); }, out);
    ASSERT_EQ(out.size(), 3u);
    for (int q = 0; q < n; ++q) {
      EXPECT_EQ(out[0][q], std::sin(in[0][q]) + in[1][q] / 3);
      EXPECT_EQ(out[1][q], in[0][q]);
      EXPECT_EQ(out[2][q], 2);
    }
  }
}

} // namespace
} // namespace weft
