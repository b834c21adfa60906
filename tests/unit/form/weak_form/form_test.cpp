// Weak forms: f0 and f1 at points against what is written by hand, Jacobians against differences.
#include "form/weak_form/form.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "form/weak_form/rates.h"
#include "support/form_testing.h"

namespace weft {
namespace {

using testing::definition;
using testing::integral;
using testing::one_field;
using testing::parameter;
using testing::some_value;
using testing::values_at;

double u(int component = 0) {
  return some_value({.kind = SymbolKind::field, .component = component});
}
double grad_u(int d, int component = 0) {
  return some_value({.kind = SymbolKind::field_gradient, .component = component, .direction = d});
}

void expect_outputs(const PointwiseFunction &f, const std::vector<double> &expected) {
  const std::vector<double> found = values_at(f, some_value);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-13 * (1 + std::abs(expected[i]))) << "output " << i;
}

// The linearised function against central differences of the residual along the direction, at one
// point; the best of several steps agrees to 1e-8.
void expect_consistent_jacobian(const FormIntegral &integral) {
  const auto field_at = [](Symbol s, double h) {
    const Symbol at = s;
    const double value = some_value(at);
    if (s.kind == SymbolKind::field)
      s.kind = SymbolKind::direction;
    else if (s.kind == SymbolKind::field_gradient)
      s.kind = SymbolKind::direction_gradient;
    else if (s.kind == SymbolKind::field_hessian)
      s.kind = SymbolKind::direction_hessian;
    else if (s.kind == SymbolKind::field_rate)
      s.kind = SymbolKind::direction_rate;
    else if (s.kind == SymbolKind::field_rate_gradient)
      s.kind = SymbolKind::direction_rate_gradient;
    else
      return value;
    return value + h * some_value(s);
  };
  const std::vector<double> exact = values_at(integral.linearised, some_value);
  std::vector<double> best(exact.size(), 1e300);
  for (double h = 1e-2; h > 5e-7; h /= 10) {
    const auto above =
        values_at(integral.residual, [&](const Symbol &s) { return field_at(s, h); });
    const auto below =
        values_at(integral.residual, [&](const Symbol &s) { return field_at(s, -h); });
    for (std::size_t i = 0; i < exact.size(); ++i)
      best[i] = std::min(best[i], std::abs((above[i] - below[i]) / (2 * h) - exact[i]));
  }
  for (std::size_t i = 0; i < exact.size(); ++i)
    EXPECT_LT(best[i], 1e-8 * (1 + std::abs(exact[i]))) << "output " << i;
}

TEST(Forms, Poisson) {
  for (const int dim : {2, 3}) {
    FormSpec spec = one_field(dim, "k*inner(grad(u), grad(test(u))) - q*test(u)");
    spec.parameters = {parameter("k", "3"), parameter("q", "x")};
    const Form form = make_form(spec);
    ASSERT_EQ(form.integrals.size(), 1u);
    EXPECT_EQ(form.integrals[0].domain, Domain::cells);
    EXPECT_TRUE(form.integrals[0].all);
    EXPECT_TRUE(form.integrals[0].groups.empty());
    std::vector<double> expected = {-some_value({.kind = SymbolKind::coordinate})};
    for (int d = 0; d < dim; ++d)
      expected.push_back(3 * grad_u(d));
    expect_outputs(form.integrals[0].residual, expected);
    EXPECT_TRUE(form.integrals[0].linearised.output_is_zero(0));
    EXPECT_TRUE(form.linear);
    EXPECT_TRUE(form.symmetric);
  }
}

TEST(Forms, SecondDerivatives) {
  const auto second = [](int entry) {
    return some_value({.kind = SymbolKind::field_hessian, .direction = entry});
  };
  const Form plate = make_form(one_field(
      2, "inner(grad(grad(u)), grad(grad(test(u)))) + u*div(grad(u))*grad(test(u))[1] - test(u)"));
  ASSERT_TRUE(plate.integrals[0].second);
  // The off-diagonal derivative stands twice in the matrix.
  expect_outputs(plate.integrals[0].residual,
                 {-1, 0, u() * (second(0) + second(2)), second(0), 2 * second(1), second(2)});
  expect_consistent_jacobian(plate.integrals[0]);
  EXPECT_FALSE(plate.linear);
  EXPECT_FALSE(plate.symmetric);

  const Form linear = make_form(
      one_field(3, "div(grad(u))*div(grad(test(u))) + dot(grad(div(u*X)), grad(test(u)))"));
  EXPECT_TRUE(linear.linear);
  EXPECT_FALSE(linear.symmetric);
  EXPECT_TRUE(make_form(one_field(3, "div(grad(u))*div(grad(test(u))) + u*test(u)")).symmetric);
  EXPECT_FALSE(make_form(one_field(2, "inner(grad(u), grad(test(u)))")).integrals[0].second);
}

TEST(Forms, HeatWithConvectionOnSomeFacets) {
  FormSpec spec = one_field(2, "k*inner(grad(u), grad(test(u)))");
  spec.parameters = {testing::by_group("k", {{"fins", "205"}, {"base", "390"}}),
                     testing::by_group("h", {{"fins", "25"}}), parameter("T_air", "293")};
  spec.integrals.push_back(integral(Domain::facets, "h*(u - T_air)*test(u)", {"fins"}));
  spec.integrals.push_back(integral(Domain::facets, "-5e4*test(u)", {"chip"}));
  const Form form = make_form(spec);
  ASSERT_EQ(form.integrals.size(), 2u);
  EXPECT_TRUE(form.linear);
  EXPECT_TRUE(form.symmetric);

  ASSERT_EQ(form.cell_table.size(), 1u); // k: regions
  EXPECT_FALSE(form.cell_table[0].otherwise);
  const FormIntegral &facets = form.integrals[1];
  EXPECT_EQ(facets.domain, Domain::facets);
  EXPECT_FALSE(facets.all);
  std::vector<std::string> groups = facets.groups;
  std::sort(groups.begin(), groups.end());
  EXPECT_EQ(groups, (std::vector<std::string>{"chip", "fins"}));

  // h matters on the fins only: elsewhere it has a value that nobody sees.
  ASSERT_EQ(form.facet_table.size(), 3u);
  const auto value_on = [&](const std::string &group, const TableEntry &entry) {
    return entry.by_group.contains(group) ? entry.by_group.at(group) : entry.otherwise.value();
  };
  const auto outputs_on = [&](const std::string &group) {
    return values_at(facets.residual, [&](const Symbol &s) {
      return s.kind == SymbolKind::facet_parameter ? value_on(group, form.facet_table[s.component])
                                                   : some_value(s);
    });
  };
  EXPECT_DOUBLE_EQ(outputs_on("fins")[0], 25 * (u() - 293));
  EXPECT_DOUBLE_EQ(outputs_on("chip")[0], -5e4);
  EXPECT_DOUBLE_EQ(outputs_on("wall")[0], 0);
  EXPECT_EQ(outputs_on("fins")[1], 0);
}

TEST(Forms, InactiveIntegralsDoNoHarm) {
  FormSpec spec = one_field(2, "u*test(u)");
  spec.integrals.push_back(integral(Domain::cells, "log(u - 10)*test(u)", {"hot"}));
  const Form form = make_form(spec);
  const auto at = [&](double inside) {
    return values_at(form.integrals[0].residual, [&](const Symbol &s) {
      return s.kind == SymbolKind::cell_parameter ? inside : some_value(s);
    })[0];
  };
  EXPECT_EQ(at(0), u());
  EXPECT_TRUE(std::isnan(at(1)));
  EXPECT_TRUE(form.integrals[0].all);
  EXPECT_EQ(form.integrals[0].groups, std::vector<std::string>{"hot"});
}

TEST(Forms, Elasticity) {
  for (const int dim : {2, 3}) {
    FormSpec spec =
        one_field(dim, "inner(sigma, sym(grad(test(u)))) - dot(f, test(u))", Shape{dim});
    spec.parameters = {parameter("E", "210"), parameter("nu", "0.3"),
                       parameter("f", dim == 2 ? "[0, -9.81]" : "[0, 0, -9.81]")};
    spec.definitions = {
        definition("mu", "E/(2*(1 + nu))"), definition("lam", "E*nu/((1 + nu)*(1 - 2*nu))"),
        definition("eps", "sym(grad(u))"), definition("sigma", "2*mu*eps + lam*tr(eps)*identity")};
    const Form form = make_form(spec);
    const double mu = 210 / 2.6, lam = 210 * 0.3 / (1.3 * 0.4);
    double trace = 0;
    for (int d = 0; d < dim; ++d)
      trace += grad_u(d, d);
    std::vector<double> expected(dim);
    expected[dim - 1] = 9.81;
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j)
        expected.push_back(mu * (grad_u(j, i) + grad_u(i, j)) + (i == j ? lam * trace : 0));
    expect_outputs(form.integrals[0].residual, expected);
    expect_consistent_jacobian(form.integrals[0]);
    EXPECT_TRUE(form.linear);
    EXPECT_TRUE(form.symmetric);
  }
}

TEST(Forms, PLaplace) {
  for (const std::string p : {"1.5", "3", "4"}) {
    FormSpec spec =
        one_field(3, "(eps^2 + inner(grad(u), grad(u)))^((p - 2)/2)*inner(grad(u), grad(test(u)))");
    spec.parameters = {parameter("p", p), parameter("eps", "1e-3")};
    const Form form = make_form(spec);
    double square = 1e-6;
    for (int d = 0; d < 3; ++d)
      square += grad_u(d) * grad_u(d);
    const double factor = std::pow(square, (std::stod(p) - 2) / 2);
    expect_outputs(form.integrals[0].residual,
                   {0, factor * grad_u(0), factor * grad_u(1), factor * grad_u(2)});
    expect_consistent_jacobian(form.integrals[0]);
    EXPECT_FALSE(form.linear);
    EXPECT_TRUE(form.symmetric) << p;
  }
}

TEST(Forms, NonlinearHeatIsNotSymmetric) {
  const Form form = make_form(one_field(2, "(1 + u^2)*inner(grad(u), grad(test(u)))"));
  expect_consistent_jacobian(form.integrals[0]);
  EXPECT_FALSE(form.linear);
  EXPECT_FALSE(form.symmetric);
}

TEST(Forms, ConvectionIsLinearAndNotSymmetric) {
  const Form form = make_form(one_field(2, "inner(grad(u), grad(test(u))) + grad(u)[0]*test(u)"));
  EXPECT_TRUE(form.linear);
  EXPECT_FALSE(form.symmetric);
}

// Whatever the places and values that the question is tried at are.
TEST(Forms, SymmetryIsOneOfAllPieces) {
  const std::string diffusion = "inner(grad(u), grad(test(u)))";
  for (const char *speed : {"where(x < 200, 0, 5)", "max(x - 200, 0)", "abs(x + 99) - x - 99",
                            "where(t > 1e6 and x < 3, 1, 0)", "floor(x/100 + 0.5)"})
    EXPECT_FALSE(
        make_form(one_field(2, diffusion + " + (" + speed + ")*grad(u)[0]*test(u)")).symmetric)
        << speed;
  for (const char *k :
       {"where(x < 200, 1, 5)", "max(x - 200, 0)", "abs(x)", "min(u, 3) + max(u, 3)"})
    EXPECT_TRUE(
        make_form(one_field(2, "(" + std::string(k) + ")*u*test(u) + " + diffusion)).symmetric)
        << k;
  EXPECT_TRUE(
      make_form(one_field(2, "where(inner(grad(u), grad(u)) < 9, 1, 2)*" + diffusion)).symmetric);
}

TEST(Forms, HyperelasticityIsConsistentAndSymmetric) {
  FormSpec spec = one_field(3, "inner(P, grad(test(u)))", Shape{3});
  spec.definitions = {
      definition("F", "identity + grad(u)"),
      definition("P", "2*(F - transpose(inv(F))) + 3*log(det(F))*transpose(inv(F))")};
  const Form form = make_form(spec);
  expect_consistent_jacobian(form.integrals[0]);
  EXPECT_FALSE(form.linear);
  EXPECT_TRUE(form.symmetric); // neo-Hookean: derived from an energy
  const auto &nodes = form.integrals[0].residual.nodes;
  EXPECT_EQ(std::count_if(nodes.begin(), nodes.end(), [](auto &n) { return n.op == Op::div; }), 1)
      << "the entries of the inverse share one reciprocal";
}

TEST(Forms, RatesAndTheirLinearisation) {
  FormSpec spec = one_field(2, "dt(c*u^2)*test(u) + inner(grad(u), grad(test(u)))");
  spec.parameters = {parameter("c", "1 + t")};
  const Form form = make_form(spec);
  const double rate = some_value({.kind = SymbolKind::field_rate, .order = 1});
  const double t = some_value({.kind = SymbolKind::time});
  expect_outputs(form.integrals[0].residual,
                 {u() * u() + (1 + t) * 2 * u() * rate, grad_u(0), grad_u(1)});
  EXPECT_TRUE(form.integrals[0].linearised.uses(SymbolKind::direction_rate));
  EXPECT_FALSE(form.linear);
  EXPECT_TRUE(form.symmetric);
}

TEST(Forms, RatesOfDerivativesAndOfRates) {
  FormSpec spec = one_field(2, "dt(dt(c*u))*test(u) + inner(dt(u*grad(u)), grad(test(u)))");
  spec.parameters = {parameter("c", "t")};
  const Form form = make_form(spec);
  const double rate = some_value({.kind = SymbolKind::field_rate, .order = 1});
  const double second = some_value({.kind = SymbolKind::field_rate, .order = 2});
  const double t = some_value({.kind = SymbolKind::time});
  const auto flux = [&](int d) {
    const double of_gradient =
        some_value({.kind = SymbolKind::field_rate_gradient, .direction = d, .order = 1});
    return rate * grad_u(d) + u() * of_gradient;
  };
  expect_outputs(form.integrals[0].residual, {2 * rate + t * second, flux(0), flux(1)});
  expect_consistent_jacobian(form.integrals[0]);
  EXPECT_EQ(time_orders(form), std::vector<int>{2});
  EXPECT_FALSE(form.symmetric);
  EXPECT_TRUE(
      make_form(one_field(2, "dt(dt(u))*test(u) + inner(dt(grad(u)), grad(test(u)))")).symmetric);
  EXPECT_TRUE(make_form(one_field(2, "grad(dt(u))[0]*grad(test(u))[0] + u*test(u)")).linear);
}

TEST(Forms, ShiftsOfRates) {
  const FormSpec spec{.dim = 1,
                      .fields = {{.name = "u"}, {.name = "T"}},
                      .integrals = {integral(Domain::cells, "(dt(dt(u)) + 3*dt(u))*test(u) + "
                                                            "dt(T + grad(u)[0])*test(T)")}};
  const Form form = make_form(spec);
  const PointwiseFunction f = with_shift(form.integrals[0].residual, time_orders(form));
  const auto shift = [](int which) {
    return some_value({.kind = SymbolKind::shift, .component = which});
  };
  const auto of = [](SymbolKind kind, int index, int order) {
    return some_value({.kind = kind, .index = index, .order = order});
  };
  const double velocity = shift(velocity_shift) * u() + of(SymbolKind::rate_offset, 0, 1);
  const double acceleration = shift(acceleration_shift) * u() + of(SymbolKind::rate_offset, 0, 2);
  const double of_T =
      shift(first_order_shift) * of(SymbolKind::field, 1, 0) + of(SymbolKind::rate_offset, 1, 1);
  const double of_gradient =
      shift(velocity_shift) * grad_u(0) + of(SymbolKind::rate_offset_gradient, 0, 1);
  expect_outputs(f, {acceleration + 3 * velocity, 0, of_T + of_gradient, 0});
  const PointwiseFunction l = with_shift(form.integrals[0].linearised, time_orders(form));
  EXPECT_TRUE(l.uses(SymbolKind::direction));
  EXPECT_TRUE(l.uses(SymbolKind::direction_gradient));
  EXPECT_FALSE(l.uses(SymbolKind::direction_rate));
  EXPECT_FALSE(l.uses(SymbolKind::direction_rate_gradient));
}

TEST(Forms, OutputsOfSeveralFieldsFollowEachOther) {
  FormSpec spec = testing::two_fields(2); // u scalar, v vector of 2
  spec.integrals = {integral(Domain::cells, "inner(grad(v), grad(test(v))) - u*div(test(v)) + "
                                            "div(v)*test(u)")};
  const Form form = make_form(spec);
  const auto v = [](int k, int d) {
    return some_value(
        {.kind = SymbolKind::field_gradient, .index = 1, .component = k, .direction = d});
  };
  expect_outputs(form.integrals[0].residual,
                 {v(0, 0) + v(1, 1), 0, 0,                                // u: f0, f1
                  0, 0, v(0, 0) - u(), v(0, 1), v(1, 0), v(1, 1) - u()}); // v: f0, f1
  EXPECT_TRUE(form.linear);
  EXPECT_FALSE(form.symmetric); // the signs of the two couplings differ
}

TEST(Forms, InteriorFacetsHaveBothSides) {
  FormSpec spec = one_field(2, "inner(grad(u), grad(test(u)))");
  spec.parameters = {testing::by_group("k", {{"a", "1"}, {"b", "2"}})};
  spec.integrals[0].integrand.text = "k*inner(grad(u), grad(test(u)))";
  spec.integrals.push_back(integral(Domain::interior, "-dot(avg(k*grad(u)), n)*jump(test(u)) "
                                                      "+ avg(1/cell_size)*jump(u)*jump(test(u))"));
  const Form form = make_form(spec);
  ASSERT_EQ(form.integrals.size(), 2u);
  const FormIntegral &facets = form.integrals[1];
  EXPECT_EQ(facets.domain, Domain::interior);
  double flux = 0, jump = 0, inverse_size = 0;
  for (const Side side : {Side::minus, Side::plus}) {
    const double k = some_value({.kind = SymbolKind::cell_parameter, .side = side});
    for (int d = 0; d < 2; ++d)
      flux += 0.5 * k *
              some_value({.kind = SymbolKind::field_gradient, .direction = d, .side = side}) *
              some_value({.kind = SymbolKind::normal, .component = d});
    jump += (side == Side::minus ? 1 : -1) * some_value({.kind = SymbolKind::field, .side = side});
    inverse_size += 0.5 / some_value({.kind = SymbolKind::cell_size, .side = side});
  }
  const double f0 = -flux + inverse_size * jump;
  expect_outputs(facets.residual, {f0, 0, 0, -f0, 0, 0});
  expect_consistent_jacobian(facets);
  EXPECT_TRUE(form.linear);
  EXPECT_FALSE(form.symmetric); // the consistency term alone is not
}

TEST(Forms, SymmetricInteriorPenaltyIsFoundSymmetric) {
  FormSpec spec = one_field(3, "inner(grad(u), grad(test(u)))");
  spec.integrals.push_back(integral(Domain::interior,
                                    "-dot(avg(grad(u)), n)*jump(test(u)) "
                                    "- dot(avg(grad(test(u))), n)*jump(u) "
                                    "+ 10*avg(1/cell_size)*jump(u)*jump(test(u))"));
  const Form form = make_form(spec);
  EXPECT_TRUE(form.symmetric);
  EXPECT_EQ(form.integrals[1].residual.outputs.size(), 8u);
}

TEST(Forms, PointwiseExpressions) {
  FormSpec spec{.dim = 2, .fields = {{.name = "u"}}};
  spec.pointwise = {{.field = "u", .f0 = testing::text("-1"), .f1 = testing::text("u*grad(u)")}};
  const Form form = make_form(spec);
  expect_outputs(form.integrals.at(0).residual, {-1, u() * grad_u(0), u() * grad_u(1)});
  EXPECT_TRUE(form.c_text.empty());
  EXPECT_FALSE(form.linear);
}

TEST(Forms, PointwiseCTextIsKept) {
  FormSpec spec{.dim = 2, .fields = {{.name = "u"}}};
  spec.pointwise = {{.field = "u", .f1 = testing::text("f1[0] = grad_u[0];"), .c_text = true}};
  spec.integrals = {integral(Domain::facets, "test(u)", {"left"})};
  const Form form = make_form(spec);
  ASSERT_EQ(form.c_text.functions.size(), 1u);
  EXPECT_EQ(form.c_text.functions[0].field, 0);
  EXPECT_FALSE(form.c_text.functions[0].f0);
  EXPECT_EQ(form.c_text.functions[0].f1->text, "f1[0] = grad_u[0];");
  ASSERT_EQ(form.integrals.size(), 1u);
  EXPECT_EQ(form.integrals[0].domain, Domain::facets);
  EXPECT_FALSE(form.linear);
  EXPECT_FALSE(form.symmetric);
  // It was understood, and only that goes to compilers; but for what the user trusts.
  EXPECT_TRUE(form.c_text.functions[0].f1->program);
  ASSERT_EQ(form.c_text.inputs.size(), 1u);
  EXPECT_EQ(form.c_text.inputs[0].name, "grad_u");
  spec.pointwise[0].f1 = testing::text("asm(\"nop\"); f1[0] = grad_u[0];");
  EXPECT_THROW(make_form(spec), Error);
  spec.trust = true;
  EXPECT_FALSE(make_form(spec).c_text.functions[0].f1->program);
}

// As few operations as by hand.
TEST(Forms, PhysicsCostsWhatItMust) {
  FormSpec spec = one_field(3, "2*(1 + 3*u)*inner(grad(u), grad(test(u)))");
  EXPECT_EQ(count_flops(make_form(spec).integrals[0].residual), 3 + 3);
  spec = one_field(3, "inner(sigma, sym(grad(test(u))))", Shape{3});
  spec.definitions = {definition("sigma", "2*3*sym(grad(u)) + 5*tr(sym(grad(u)))*identity")};
  // 3 sums and products off the diagonal, 3 products and sums on it, the trace times lam
  EXPECT_EQ(count_flops(make_form(spec).integrals[0].residual), 6 + 6 + 3);
}

TEST(Forms, CommonSubexpressionsAreComputedOnce) {
  FormSpec spec = one_field(3, "exp(u)*inner(grad(u), grad(test(u))) + exp(u)*test(u)");
  const Form form = make_form(spec);
  const auto &nodes = form.integrals[0].linearised.nodes;
  EXPECT_EQ(std::count_if(nodes.begin(), nodes.end(), [](auto &n) { return n.op == Op::exp; }), 1);
}

} // namespace
} // namespace weft
