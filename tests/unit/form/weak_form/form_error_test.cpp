// What a user reads who wrote something wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "form/expression/expression.h"
#include "support/form_testing.h"

namespace weft {
namespace {

using testing::definition;
using testing::expect_in;
using testing::input_error;
using testing::integral;
using testing::one_field;
using testing::parameter;
using testing::text;

std::string form_error(const FormSpec &spec) {
  return input_error([&] { make_form(spec); });
}
std::string form_error(const std::string &integrand, int dim = 2, Shape shape = {}) {
  return form_error(one_field(dim, integrand, shape));
}
std::string expression_error(const std::string &expression, int dim = 2) {
  return input_error([&] { make_expression({.dim = dim}, text(expression), {}, false, false); });
}

TEST(FormErrors, UnknownNamesGetTheNearestOne) {
  FormSpec spec = one_field(2, "temperatur*test(u)");
  spec.parameters = {parameter("temperature", "3")};
  const std::string message = form_error(spec);
  expect_in("case.toml:7: [weak_form], column 1", message);
  expect_in("unknown name `temperatur`", message);
  expect_in("did you mean `temperature`?", message);
  expect_in("u", message);
  expect_in("did you mean `sqrt`?", expression_error("sqr(2)"));
  expect_in("unknown name `v`", form_error("test(v)"));
}

TEST(FormErrors, UnusedTextsAreCheckedToo) {
  FormSpec spec = one_field(2, "test(u)");
  spec.definitions = {definition("flux", "k*grad(u)")};
  expect_in("unknown name `k`", form_error(spec));
  spec.definitions = {};
  spec.parameters = {parameter("q", "1 +")};
  expect_in("[parameters] q, column 4: the expression ends too early", form_error(spec));
}

TEST(FormErrors, ColumnsCountFromOneInTheLineOfTheText) {
  expect_in("column 5", expression_error("1 + what"));
  expect_in("line 2 of the text, column 3", expression_error("1 +\n  what"));
}

TEST(FormErrors, Syntax) {
  expect_in("an expression is missing", expression_error(""));
  expect_in("an expression is missing", expression_error("  \n "));
  expect_in("')' expected", expression_error("(1 + 2"));
  expect_in("a number, a name, '(' or '[' expected", expression_error("1 + )"));
  expect_in("an operator or the end expected", expression_error("1 2"));
  expect_in("write the product with *", expression_error("2x"));
  expect_in("== compares", expression_error("where(x = 1, 2, 3)"));
  expect_in("a character that expressions do not have", expression_error("1 + \xce\xbb"));
  expect_in("\xce\xbb\n", expression_error("1 + \xce\xbb"));
  expect_in("outside the range of double precision", expression_error("1e999"));
  expect_in("comparisons do not chain", expression_error("where(0 < x < 1, 1, 0)"));
  expect_in("sqrt() with 2 arguments", expression_error("sqrt(1, 2)"));
  expect_in("`sqrt` is a function", expression_error("sqrt + 1"));
  expect_in("`pi` is not a function", expression_error("pi(2)"));
  expect_in("`and` ", expression_error("1 and 2"));
  expect_in("not takes a comparison", expression_error("not 1"));
}

TEST(FormErrors, Shapes) {
  expect_in("sum of a vector of 2 and a scalar", expression_error("X + 1"));
  expect_in("difference of a 2 x 2 matrix and a vector of 3",
            expression_error("identity - [1, 2, 3]"));
  expect_in("product of a vector of 2 and a vector of 2", expression_error("X*X"));
  expect_in("use dot(), inner()", expression_error("X*X"));
  expect_in("quotient of a scalar and a vector of 2", expression_error("1/X"));
  expect_in("dot() of a 2 x 2 matrix and a vector of 3",
            expression_error("dot(identity, [1, 2, 3])"));
  expect_in("inner() of a vector of 2 and a 2 x 2 matrix", expression_error("inner(X, identity)"));
  expect_in("cross() of a vector of 2 and a scalar", expression_error("cross(X, 1)"));
  expect_in("outer() of a scalar and a vector of 2", expression_error("outer(1, X)"));
  expect_in("transpose() of a vector of 2", expression_error("transpose(X)"));
  expect_in("sym() of a 2 x 3 matrix", expression_error("sym([[1, 2, 3], [4, 5, 6]])"));
  expect_in("det() is there up to 3 x 3",
            expression_error("det([[1,2,3,4],[1,2,3,4],[1,2,3,4],[1,2,3,4]])"));
  expect_in("power of a vector of 2 to a scalar", expression_error("X^2"));
  expect_in("exp() of a vector of 2", expression_error("exp(X)"));
  expect_in("list of a scalar and a vector of 2", expression_error("[1, X]"));
  expect_in("choice of a scalar and a vector of 2", expression_error("where(x < 1, 1, X)"));
  expect_in("the condition of where() is a scalar", expression_error("where(x, 1, 2)"));
  expect_in("comparison of a vector of 2 with a scalar", expression_error("where(X < 1, 1, 2)"));
  expect_in("a truth value where a number is needed", expression_error("x < 1"));
  expect_in("product of a truth value and a scalar", expression_error("(x < 1)*2"));
  expect_in("div() of a scalar", expression_error("div(x)"));
  expect_in("curl() of a scalar", expression_error("curl(x)", 3));
  expect_in("grad() of a matrix", expression_error("grad(identity)"));
  expect_in("an integrand that is a vector of 2", form_error("grad(test(u))"));
  expect_in("inner() of a vector of 2 and a scalar", form_error("inner(grad(u), test(u))"));
}

TEST(FormErrors, Indices) {
  expect_in("an index out of range", expression_error("X[2]"));
  expect_in("0 to 1", expression_error("X[2]"));
  expect_in("an index out of range", expression_error("X[-1]"));
  expect_in("an index out of range", expression_error("X[0.5]"));
  expect_in("not a constant whole number", expression_error("X[x]"));
  expect_in("1 index of a scalar", expression_error("x[0]"));
  expect_in("2 indices of a vector of 2", expression_error("X[0, 1]"));
}

TEST(FormErrors, BuiltInValuesWhereTheyHaveNoMeaning) {
  expect_in("`z` in a problem of dimension 2", expression_error("z"));
  expect_in("the normal n exists on facets only", expression_error("n"));
  expect_in("interior facets only", expression_error("jump(x)"));
  expect_in("in [weak_form] only", expression_error("test(u)"));
  expect_in("dt() has a meaning in the equations only", expression_error("dt(x)"));
  expect_in("the third time derivative of a field", form_error("dt(dt(dt(u)))*test(u)"));
  expect_in("the time derivative of test()", form_error("dt(u*test(u))"));
}

TEST(FormErrors, NotLinearInTest) {
  const std::string squared = form_error("u*test(u) + inner(grad(u), grad(u))*test(u)^2");
  expect_in("the weak form is not linear in test()", squared);
  expect_in("found:   test(u)^2", squared);
  expect_in("found:   exp(test(u))", form_error("exp(test(u))"));
  expect_in("found:   u/test(u)", form_error("u/test(u)"));
  expect_in("found:   test(u) < 1", form_error("where(test(u) < 1, test(u), 0)"));
  expect_in("found:   abs(test(u))", form_error("abs(test(u))"));
  expect_in("a sum of terms with and without test()", form_error("u*test(u) - 3"));
  expect_in("a weak form without test()", form_error("u^2"));
  FormSpec spec = one_field(2, "energy");
  spec.definitions = {definition("energy", "test(u)*test(u)")};
  expect_in("[definitions] energy", form_error(spec)); // names the text it is in
  EXPECT_NO_THROW(make_form(one_field(2, "where(u < 1, 2*test(u), 0) - test(u)/u")));
}

TEST(FormErrors, TestOfSomethingElse) {
  expect_in("test() of something that is not a field", form_error("test(2*u)"));
  FormSpec spec = one_field(2, "test(k)");
  spec.parameters = {parameter("k", "1")};
  expect_in("write test(u)", form_error(spec));
}

TEST(FormErrors, SecondDerivatives) {
  for (const char *integrand : {"div(grad(u))*test(u)", "div(u*grad(u))*test(u)",
                                "grad(grad(u)[0])[0]*test(u)", "u*div(grad(test(u)))"}) {
    const std::string message = form_error(integrand);
    expect_in("second derivatives in the equation of `u`", message);
    expect_in("integrate by parts", message);
  }
  const std::string third = form_error("inner(grad(div(grad(u))), grad(test(u)))");
  expect_in("a third derivative of a field", third);
  expect_in("integrate by parts", third);
}

TEST(FormErrors, NamesThatAreTaken) {
  for (const char *name : {"x", "t", "n", "X", "pi", "sin", "grad", "test", "identity", "and"}) {
    FormSpec spec = one_field(2, "test(u)");
    spec.parameters = {parameter(name, "1")};
    expect_in("is built in", form_error(spec));
  }
  FormSpec spec = one_field(2, "test(u)");
  spec.definitions = {definition("u", "1")};
  expect_in("the name `u` is taken: there is a field of this name", form_error(spec));
  spec.definitions = {definition("2u", "1")};
  expect_in("not a name", form_error(spec));
}

TEST(FormErrors, Cycles) {
  FormSpec spec = one_field(2, "a*test(u)");
  spec.definitions = {definition("a", "b + 1"), definition("b", "2*c"), definition("c", "a")};
  expect_in("`a` is defined by itself: a -> b -> c -> a", form_error(spec));
  spec.definitions = {};
  spec.parameters = {parameter("a", "a")};
  expect_in("a -> a", form_error(spec));
  spec.parameters = {testing::by_group("a", {{"left", "2*a"}})};
  expect_in("defined by itself", form_error(spec));
}

TEST(FormErrors, CyclesThatNothingUses) {
  FormSpec spec = one_field(2, "test(u)");
  spec.parameters = {parameter("a", "b"), parameter("b", "a")};
  expect_in("`a` is defined by itself: a -> b -> a", form_error(spec));
  spec.parameters = {parameter("k", "2"),
                     testing::by_group("a", {{"left", "1"}, {"right", "k*a"}})};
  expect_in("`a` is defined by itself: a -> a", form_error(spec));
  spec.parameters = {};
  spec.definitions = {definition("c", "c[0]")};
  expect_in("`c` is defined by itself: c -> c", form_error(spec));
}

// Recursion over texts has to end before the stack does.
TEST(FormErrors, DefinitionsNestSoDeep) {
  const auto chain = [](int length, const std::string &each) {
    FormSpec spec = one_field(2, "a0*test(u)");
    for (int i = 0; i < length; ++i)
      spec.definitions.push_back(
          definition(fmt::format("a{}", i), fmt::format(fmt::runtime(each), i + 1)));
    spec.definitions.push_back(definition(fmt::format("a{}", length), "2"));
    return spec;
  };
  EXPECT_NO_THROW(make_form(chain(300, "a{}")));
  expect_in("nest too deeply", form_error(chain(50'000, "a{}")));
  std::string sum = "a{}";
  for (int i = 0; i < 300; ++i)
    sum += " + 1";
  expect_in("nest too deeply", form_error(chain(200, sum)));
  // Nor does an unused one come through.
  FormSpec unused = chain(50'000, "a{}");
  unused.integrals[0].integrand.text = "test(u)";
  expect_in("nest too deeply", form_error(unused));
}

TEST(FormErrors, Parameters) {
  FormSpec spec = one_field(2, "k*test(u)");
  spec.parameters = {parameter("k", "u^2")};
  expect_in("a parameter may not use the field `u`", form_error(spec));
  expect_in("[parameters] k", form_error(spec));
  spec.parameters = {parameter("k", "a")};
  spec.definitions = {definition("a", "1")};
  expect_in("a parameter may not use the definition `a`", form_error(spec));
  spec.definitions = {};
  spec.parameters = {testing::by_group("k", {{"a", "1"}, {"b", "[1, 2]"}})};
  expect_in("`k` is a vector of 2 in b and a scalar in a", form_error(spec));
}

TEST(FormErrors, FieldsWhereTheyAreNotKnown) {
  const FormSpec spec = one_field(2, "test(u)");
  expect_in("the field `u` is not known here",
            input_error([&] { make_expression(spec, text("u + 1"), {}, false, false); }));
}

TEST(FormErrors, SidesOfInteriorFacets) {
  const auto interior = [](const std::string &integrand) {
    FormSpec spec = one_field(2, "u*test(u)");
    spec.integrals.push_back(integral(Domain::interior, integrand));
    return form_error(spec);
  };
  expect_in("`u` has two values on an interior facet", interior("u*jump(test(u))"));
  expect_in("`u` has two values", interior("jump(u)*test(u)"));
  expect_in("inside of another choice", interior("jump(avg(u))*jump(test(u))"));
}

TEST(FormErrors, EveryFieldNeedsAnEquation) {
  FormSpec spec = testing::two_fields(2);
  spec.integrals = {integral(Domain::cells, "u*test(u)")};
  const std::string message = form_error(spec);
  expect_in("[fields] v", message);
  expect_in("test(v) is in no integral", message);
}

TEST(FormErrors, Pointwise) {
  FormSpec spec{.dim = 2, .fields = {{.name = "u"}}};
  spec.pointwise = {{.field = "u", .f1 = text("u")}};
  expect_in("a scalar where a vector of 2 is needed", form_error(spec));
  spec.pointwise = {{.field = "w", .f1 = text("u")}};
  expect_in("pointwise functions of an unknown field", form_error(spec));
  spec.pointwise = {{.field = "u", .f0 = text("f0[0] = 1;"), .c_text = true}};
  spec.integrals = {integral(Domain::cells, "test(u)")};
  expect_in("C text beside expressions on cells", form_error(spec));
}

TEST(FormErrors, DepthIsBounded) {
  expect_in("nested too deeply", expression_error(std::string(100000, '(') + "1"));
  expect_in("nested too deeply", expression_error(std::string(100000, '-') + "1"));
  expect_in("nested too deeply", expression_error(std::string(100000, '[')));
  std::string sum = "x", power = "x";
  for (int i = 0; i < 20000; ++i) {
    sum += "+x";
    power += "^x";
  }
  expect_in("nested too deeply", expression_error(sum));
  expect_in("nested too deeply", expression_error(power));
  FormSpec spec{.dim = 2};
  std::string longest = "d0";
  for (int i = 0; i < 200; ++i)
    longest += "+1";
  spec.definitions.push_back(definition("d0", "x"));
  for (int i = 1; i < 20; ++i) {
    spec.definitions.push_back(definition("d" + std::to_string(i), longest));
    longest.replace(0, longest.find('+'), "d" + std::to_string(i));
  }
  expect_in("nest too deeply",
            input_error([&] { make_expression(spec, text("d19"), {}, false, false); }));
}

TEST(FormErrors, SizeIsBounded) {
  FormSpec spec{.dim = 3, .definitions = {definition("d0", "exp(x*y + z*sin(x/y))")}};
  for (int i = 1; i < 20; ++i)
    spec.definitions.push_back(
        definition("d" + std::to_string(i), "div(grad(d" + std::to_string(i - 1) + "))"));
  expect_in("the expressions are too large",
            input_error([&] { make_expression(spec, text("d19"), {}, false, false); }));
  std::string list = "[1";
  for (int i = 0; i < 30; ++i)
    list += ", 1";
  list += "]";
  expect_in("a value with 961 components", expression_error("outer(" + list + ", " + list + ")"));
}

// Mutated texts either are expressions or give an input error; nothing else may happen.
TEST(FormErrors, MutatedExpressionsNeverCrash) {
  const std::vector<std::string> seeds = {
      "k*inner(grad(u), grad(test(u))) - q*test(u)",
      "inner(2*mu*sym(grad(v)) + tr(grad(v))*identity, sym(grad(test(v))))",
      "where(x < 0.5 and not y >= 1e-3, u^2, [1, 2][0])*test(u)",
      "dot(v, test(v))/norm(X) + det(dev(grad(v)))*div(test(v))",
      "(1 + inner(grad(u), grad(u)))**((4 - 2)/2)*dot(grad(u), grad(test(u)))"};
  const std::vector<std::string> pieces = {"(", ")",     "[",    "]",  ",", "+",     "-",    "*",
                                           "/", "^",     "u",    "v",  "1", ".",     "e",    " ",
                                           "<", "test",  "grad", "!",  "=", "and",   "\xff", "inv",
                                           "0", "1e200", "n",    "dt", "/", "1e-200"};
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  int accepted = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string mutated = seeds[below(seeds.size())];
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(mutated.size() + 1), length = below(6);
      if (below(2) == 0)
        mutated.erase(at, length);
      else
        mutated.insert(at, pieces[below(pieces.size())]);
    }
    FormSpec spec = testing::two_fields(2);
    spec.parameters = {parameter("k", "1 + x"), parameter("q", "2"), parameter("mu", "3")};
    spec.integrals = {integral(Domain::cells, mutated), integral(Domain::cells, "u*test(u)"),
                      integral(Domain::cells, "dot(v, test(v))")};
    try {
      make_form(spec);
      ++accepted;
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << mutated << "\n" << error.what();
    }
  }
  EXPECT_GT(accepted, 50); // the mutations do not destroy everything
}

} // namespace
} // namespace weft
