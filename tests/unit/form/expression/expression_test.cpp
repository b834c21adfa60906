// The expression language: values of every operator and function, shapes, names.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "form/expression/expression.h"
#include "support/form_testing.h"

namespace weft {
namespace {

using testing::definition;
using testing::parameter;
using testing::text;

FormSpec constants(int dim) {
  FormSpec spec{.dim = dim};
  spec.parameters = {parameter("a", "[1, 2, 3]"),
                     parameter("b", "[4, -5, 6]"),
                     parameter("c", "[1, 2]"),
                     parameter("d", "[3, 5]"),
                     parameter("M", "[[1, 2, 3], [0, 4, 5], [1, 0, 6]]"),
                     parameter("S", "[[2, 1], [7, 4]]"),
                     parameter("E", "1 + 1")};
  return spec;
}

std::vector<double> values_of(const FormSpec &spec, const std::string &expression) {
  const Expression e = make_expression(spec, text(expression), {}, false, false);
  return testing::values_at(e.function, testing::some_value);
}

void expect_value(const std::string &expression, const std::vector<double> &expected, int dim = 3) {
  const std::vector<double> found = values_of(constants(dim), expression);
  ASSERT_EQ(found.size(), expected.size()) << expression;
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-13 * (1 + std::abs(expected[i]))) << expression;
}

TEST(Expressions, Numbers) {
  expect_value("1.5", {1.5});
  expect_value(".5", {0.5});
  expect_value("2.", {2});
  expect_value("1e-3", {1e-3});
  expect_value("1.25E+2", {125});
  expect_value("pi", {std::numbers::pi});
}

TEST(Expressions, PrecedenceIsThatOfMathematics) {
  expect_value("1 + 2*3", {7});
  expect_value("1 - 2 - 3", {-4});
  expect_value("8/4/2", {1});
  expect_value("-2^2", {-4});
  expect_value("2^-1", {0.5});
  expect_value("2^3^2", {512});
  expect_value("2**3", {8});
  expect_value("(1 + 2)*3", {9});
  expect_value("- - 3", {3});
  expect_value("+3", {3});
  expect_value("2*-3", {-6});
  expect_value("where(1 < 2 and not 3 < 2, 1, 0)", {1});
  expect_value("where(1 > 2 or 1 == 1 and 2 != 2, 1, 0)", {0});
  expect_value("where(2 <= 2, 1, 0) + where(2 >= 3, 1, 0)", {1});
  expect_value("[1, 2][1]^2", {4});
}

TEST(Expressions, ScalarFunctions) {
  expect_value("sqrt(2)", {std::sqrt(2)});
  expect_value("exp(0.3)", {std::exp(0.3)});
  expect_value("log(0.3)", {std::log(0.3)});
  expect_value("sin(0.3)", {std::sin(0.3)});
  expect_value("cos(0.3)", {std::cos(0.3)});
  expect_value("tan(0.3)", {std::tan(0.3)});
  expect_value("asin(0.3)", {std::asin(0.3)});
  expect_value("acos(0.3)", {std::acos(0.3)});
  expect_value("atan(0.3)", {std::atan(0.3)});
  expect_value("atan2(0.3, -2)", {std::atan2(0.3, -2)});
  expect_value("sinh(0.3)", {std::sinh(0.3)});
  expect_value("cosh(0.3)", {std::cosh(0.3)});
  expect_value("tanh(0.3)", {std::tanh(0.3)});
  expect_value("abs(-3)", {3});
  expect_value("sign(-3)", {-1});
  expect_value("floor(-1.5)", {-2});
  expect_value("pow(2, 0.3)", {std::pow(2, 0.3)});
  expect_value("min(3, 1, 2)", {1});
  expect_value("max(3, 1, 5, 2)", {5});
}

TEST(Expressions, TensorFunctions) {
  expect_value("a + 2*b", {9, -8, 15});
  expect_value("a*2 - b/2", {0, 6.5, 3});
  expect_value("-a", {-1, -2, -3});
  expect_value("dot(a, b)", {12});
  expect_value("dot(M, a)", {14, 23, 19});
  expect_value("dot(a, M)", {4, 10, 31});
  expect_value("dot(S, S)", {11, 6, 42, 23});
  expect_value("inner(S, S)", {70});
  expect_value("inner(a, b)", {12});
  expect_value("inner(E, 3)", {6});
  expect_value("cross(a, b)", {27, 6, -13});
  expect_value("cross(c, d)", {-1});
  expect_value("outer(c, a)", {1, 2, 3, 2, 4, 6});
  expect_value("transpose(outer(c, a))", {1, 2, 2, 4, 3, 6});
  expect_value("sym(S)", {2, 4, 4, 4});
  expect_value("skew(S)", {0, -3, 3, 0});
  expect_value("tr(M)", {11});
  expect_value("det(S)", {1});
  expect_value("det(M)", {22});
  expect_value("det([[5]])", {5});
  expect_value("inv(S)", {4, -1, -7, 2});
  expect_value("dot(M, inv(M))", {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect_value("inv([[4]])", {0.25});
  expect_value("dev(S)", {-1, 1, 7, 1});
  expect_value("norm(c)", {std::sqrt(5)});
  expect_value("norm(-3)", {3});
  expect_value("identity", {1, 0, 0, 1}, 2);
  expect_value("a[2]", {3});
  expect_value("M[1, 2]", {5});
  expect_value("M[0]", {1, 2, 3});
  expect_value("a[E]", {3});
  expect_value("[c, d]", {1, 2, 3, 5});
  expect_value("where(E > 1, c, d)", {1, 2});
}

TEST(Expressions, PlaceAndTime) {
  const double x = testing::some_value({.kind = SymbolKind::coordinate, .component = 0});
  const double y = testing::some_value({.kind = SymbolKind::coordinate, .component = 1});
  const double z = testing::some_value({.kind = SymbolKind::coordinate, .component = 2});
  const double t = testing::some_value({.kind = SymbolKind::time});
  const double h = testing::some_value({.kind = SymbolKind::cell_size});
  expect_value("[x, y, z]", {x, y, z});
  expect_value("X", {x, y, z});
  expect_value("X", {x, y}, 2);
  expect_value("t*cell_size", {t * h});
}

TEST(Expressions, DerivativesInPlace) {
  const double x = testing::some_value({.kind = SymbolKind::coordinate, .component = 0});
  const double y = testing::some_value({.kind = SymbolKind::coordinate, .component = 1});
  expect_value("grad(x^2*y)", {2 * x * y, x * x}, 2);
  expect_value("grad([x*y, y^3])", {y, x, 0, 3 * y * y}, 2);
  expect_value("div([x*y, y^3])", {y + 3 * y * y}, 2);
  expect_value("div([[x*y, y], [x, x*y^2]])", {y + 1, 1 + 2 * x * y}, 2);
  expect_value("curl([x*y, x^3])", {3 * x * x - x}, 2);
  expect_value("curl(x^2*y)", {x * x, -2 * x * y}, 2);
  expect_value("curl([y*z, 2*x*z, 3*x*y])",
               {x, -2 * y, testing::some_value({.kind = SymbolKind::coordinate, .component = 2})});
  expect_value("div(grad(sin(x)*y))", {-std::sin(x) * y}, 2); // of place: any order
}

TEST(Expressions, GradientsOfFieldsFollowTheChainRule) {
  FormSpec spec = testing::two_fields(2);
  spec.definitions = {definition("flux", "u^2*grad(u)"), definition("w", "u*v")};
  const auto at = [&](const std::string &expression) {
    return testing::values_at(make_expression(spec, text(expression), {}, true, false).function,
                              testing::some_value);
  };
  const auto u = [](int d) {
    return testing::some_value({.kind = d < 0 ? SymbolKind::field : SymbolKind::field_gradient,
                                .direction = std::max(d, 0)});
  };
  const auto v = [](int k, int d) {
    return testing::some_value({.kind = d < 0 ? SymbolKind::field : SymbolKind::field_gradient,
                                .index = 1,
                                .component = k,
                                .direction = std::max(d, 0)});
  };
  EXPECT_DOUBLE_EQ(at("flux")[1], u(-1) * u(-1) * u(1));
  EXPECT_DOUBLE_EQ(at("grad(u^2)")[1], 2 * u(-1) * u(1));
  EXPECT_DOUBLE_EQ(at("grad(v)[1, 0]")[0], v(1, 0));
  EXPECT_DOUBLE_EQ(at("div(w)")[0],
                   u(0) * v(0, -1) + u(-1) * v(0, 0) + u(1) * v(1, -1) + u(-1) * v(1, 1));
  EXPECT_DOUBLE_EQ(at("curl(v)")[0], v(1, 0) - v(0, 1));
}

TEST(Expressions, AuxiliaryFieldsOfOrderZeroHaveNoGradient) {
  FormSpec spec{.dim = 2};
  spec.auxiliary = {{.name = "a", .order = 0}, {.name = "b"}};
  const Expression e = make_expression(spec, text("grad(a) + grad(b)"), {}, true, false);
  ASSERT_EQ(e.function.symbols.size(), 2u);
  for (const Symbol &s : e.function.symbols) {
    EXPECT_EQ(s.kind, SymbolKind::auxiliary_gradient);
    EXPECT_EQ(s.index, 1);
  }
}

TEST(Expressions, ZIsZeroInThePlaneOfACaseOfThreeDimensions) {
  FormSpec spec{.dim = 2};
  spec.in_plane = true;
  spec.parameters = {parameter("s", "2*x + y - z"), parameter("K", "grad(s)")};
  EXPECT_EQ(values_of(spec, "z"), std::vector<double>{0});
  EXPECT_EQ(values_of(spec, "K"), (std::vector<double>{2, 1}));
  // Not a trace of it is left.
  const auto size = [&](const char *expression) {
    return make_expression(spec, text(expression), {}, false, false).function.nodes.size();
  };
  EXPECT_EQ(size("cos(2*x + y - z)"), size("cos(2*x + y)"));
  EXPECT_EQ(size("dot(K, K)*x"), size("5*x"));
}

TEST(Expressions, ExpectedShapeIsChecked) {
  const FormSpec spec = constants(2);
  EXPECT_EQ(make_expression(spec, text("c"), Shape{2}, false, false).shape, Shape{2});
  const Expression zero = make_expression(spec, text("0"), Shape{2}, false, false);
  EXPECT_EQ(zero.function.outputs.size(), 2u); // zero fits every shape
  testing::expect_in("a vector of 3 where a vector of 2 is needed", testing::input_error([&] {
                       make_expression(spec, text("a"), Shape{2}, false, false);
                     }));
}

TEST(Expressions, WithGradientAppendsDerivativesInPlace) {
  const Expression e = with_gradient({.dim = 2}, text("[sin(x)*y, 3]"), Shape{2});
  const double x = testing::some_value({.kind = SymbolKind::coordinate, .component = 0});
  const double y = testing::some_value({.kind = SymbolKind::coordinate, .component = 1});
  const std::vector<double> expected = {std::sin(x) * y, 3, std::cos(x) * y, std::sin(x), 0, 0};
  EXPECT_EQ(e.shape, Shape{2});
  EXPECT_EQ(testing::values_at(e.function, testing::some_value), expected);
}

TEST(Expressions, ParametersByRegionAreTableEntries) {
  FormSpec spec{.dim = 2};
  spec.parameters = {testing::by_group("k", {{"fins", "205"}, {"base", "2*195"}}),
                     parameter("twice", "2*k")};
  const Expression e = make_expression(spec, text("twice"), {}, false, false);
  ASSERT_EQ(e.cell_table.size(), 1u);
  EXPECT_EQ(e.cell_table[0].name, "k");
  EXPECT_EQ(e.cell_table[0].by_group,
            (std::map<std::string, double>{{"base", 390}, {"fins", 205}}));
  EXPECT_FALSE(e.cell_table[0].otherwise);
  EXPECT_EQ(testing::values_at(e.function, [](const Symbol &) { return 205.0; })[0], 410);
}

TEST(Expressions, ParametersByRegionMayVaryInPlace) {
  FormSpec spec{.dim = 2};
  spec.parameters = {testing::by_group("k", {{"a", "1"}, {"b", "10*x"}, {"c", "100 + y"}})};
  const Expression e = make_expression(spec, text("k"), {}, false, false);
  ASSERT_EQ(e.cell_table.size(), 2u); // one of the groups is what remains
  const std::vector<std::pair<std::string, double>> expected = {{"a", 1}, {"b", 20}, {"c", 103}};
  for (const auto &[group, value] : expected) {
    const auto at = [&](const Symbol &s) {
      if (s.kind == SymbolKind::cell_parameter)
        return e.cell_table[s.component].by_group.at(group);
      return s.component == 0 ? 2.0 : 3.0;
    };
    EXPECT_EQ(testing::values_at(e.function, at)[0], value) << group;
  }
}

TEST(Expressions, TensorParametersByRegionHaveAnEntryEachComponent) {
  FormSpec spec{.dim = 2};
  spec.parameters = {testing::by_group("K", {{"a", "[[1, 2], [3, 4]]"}, {"b", "identity"}})};
  const Expression e = make_expression(spec, text("K"), {}, false, false);
  ASSERT_EQ(e.cell_table.size(), 4u);
  EXPECT_EQ(e.cell_table[1].name, "K[0, 1]");
  EXPECT_EQ(e.cell_table[1].by_group.at("a"), 2);
  EXPECT_EQ(e.cell_table[1].by_group.at("b"), 0);
}

// By facet group unless a cell integral of the form uses the parameter.
TEST(Expressions, ParametersByGroupOnFacets) {
  FormSpec spec = testing::one_field(2, "conductivity*inner(grad(u), grad(test(u)))");
  spec.parameters = {testing::by_group("k", {{"fins", "205"}}),
                     testing::by_group("h", {{"fins", "25"}})};
  spec.definitions = {definition("conductivity", "k")};
  const Expression e = make_expression(spec, text("h + k"), {}, false, true);
  ASSERT_EQ(e.facet_table.size(), 1u);
  ASSERT_EQ(e.cell_table.size(), 1u);
  EXPECT_EQ(e.facet_table[0].name, "h");
  EXPECT_EQ(e.cell_table[0].name, "k");
}

} // namespace
} // namespace weft
