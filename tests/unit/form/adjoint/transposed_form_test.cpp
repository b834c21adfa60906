// Adjoint forms against the linearisation that they transpose, and derivatives by parameters
// against differences.
#include "form/adjoint/transposed_form.h"

#include <gtest/gtest.h>

#include "form/adjoint/form_derivative.h"
#include "support/form_testing.h"

namespace weft::testing {
namespace {

// A scalar u and a vector v that depend on one another, in cells and on facets.
FormSpec coupled_spec(int dim) {
  FormSpec spec = two_fields(dim);
  spec.auxiliary = {{.name = "a"}};
  spec.parameters = {parameter("k", "2.5"), by_group("h", {{"left", "3"}, {"right", "4"}})};
  spec.definitions = {definition("flux", "k*(1 + u^2)*grad(u)")};
  spec.integrals = {
      integral(Domain::cells, "inner(flux, grad(test(u))) + a*dot(v, grad(u))*test(u)"),
      integral(Domain::cells, "inner(exp(u)*grad(v), grad(test(v))) + u*inner(v, test(v))"),
      integral(Domain::facets, "h*(u^4 - a)*test(u) + k*dot(v, n)*dot(v, test(v))", {"left"})};
  return spec;
}

// Inside of all groups.
double value_inside(const Symbol &symbol) {
  const bool parameter =
      symbol.kind == SymbolKind::cell_parameter || symbol.kind == SymbolKind::facet_parameter;
  return some_value(symbol) + (parameter ? 1 : 0);
}

// Values of a state u, of z where the transposed form has its unknown, and of a direction w.
double value_of_z(Symbol symbol) {
  symbol.side = Side::plus; // some other value than the state has
  return value_inside(symbol);
}

double value_in_transposed(Symbol symbol, int num_known) {
  const bool known =
      symbol.kind == SymbolKind::auxiliary || symbol.kind == SymbolKind::auxiliary_gradient;
  if (known && symbol.index >= num_known) {
    symbol.kind =
        symbol.kind == SymbolKind::auxiliary ? SymbolKind::field : SymbolKind::field_gradient;
    symbol.index -= num_known;
    return value_inside(symbol);
  }
  if (symbol.kind == SymbolKind::field || symbol.kind == SymbolKind::field_gradient)
    return value_of_z(symbol);
  return value_inside(symbol);
}

// The symbols that the outputs of an integral are paired with.
std::vector<Symbol> pairs(const Form &form, SymbolKind value, SymbolKind gradient) {
  std::vector<Symbol> symbols;
  for (int f = 0; f < static_cast<int>(form.fields.size()); ++f) {
    for (int k = 0; k < form.fields[f].components(); ++k)
      symbols.push_back({.kind = value, .index = f, .component = k});
    for (int k = 0; k < form.fields[f].components(); ++k)
      for (int d = 0; d < form.dim; ++d)
        symbols.push_back({.kind = gradient, .index = f, .component = k, .direction = d});
  }
  return symbols;
}

double dot(const std::vector<double> &outputs, const std::vector<Symbol> &symbols,
           const SymbolValue &value) {
  double sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    sum += outputs[i] * value(symbols[i]);
  return sum;
}

TEST(TransposedForm, IsTheAdjointOfTheLinearisation) {
  for (const int dim : {2, 3}) {
    const Form form = make_form(coupled_spec(dim));
    const Form adjoint = transposed_form(form);
    ASSERT_EQ(adjoint.integrals.size(), form.integrals.size());
    EXPECT_TRUE(adjoint.linear);
    const auto z = pairs(form, SymbolKind::field, SymbolKind::field_gradient);
    const auto w = pairs(form, SymbolKind::direction, SymbolKind::direction_gradient);
    for (std::size_t i = 0; i < form.integrals.size(); ++i) {
      const std::vector<double> forward = values_at(form.integrals[i].linearised, value_inside);
      const auto value = [](const Symbol &symbol) { return value_in_transposed(symbol, 1); };
      const std::vector<double> backward = values_at(adjoint.integrals[i].residual, value);
      const double expected = dot(forward, z, value_of_z);
      EXPECT_NE(expected, 0);
      EXPECT_NEAR(dot(backward, w, value_inside), expected, 1e-12 * std::abs(expected));
      // It is linear, so that its linearisation is itself with the direction in place of z.
      const std::vector<double> linearised =
          values_at(adjoint.integrals[i].linearised, [&](Symbol symbol) {
            if (symbol.kind == SymbolKind::direction)
              symbol.kind = SymbolKind::field;
            else if (symbol.kind == SymbolKind::direction_gradient)
              symbol.kind = SymbolKind::field_gradient;
            return value(symbol);
          });
      for (std::size_t o = 0; o < backward.size(); ++o)
        EXPECT_NEAR(linearised[o], backward[o], 1e-12 * std::abs(expected));
    }
  }
}

TEST(TestedIntegrand, IsTheSumOfOutputsTimesTheFunction) {
  const Form form = make_form(coupled_spec(2));
  const auto w = pairs(form, SymbolKind::direction, SymbolKind::direction_gradient);
  for (const FormIntegral &integral : form.integrals) {
    const double expected = dot(values_at(integral.residual, value_inside), w, value_inside);
    const double tested = values_at(tested_integrand(form, integral), value_inside)[0];
    EXPECT_NEAR(tested, expected, 1e-12 * std::abs(expected));
  }
}

// w phi has the gradient phi grad(w) + w grad(phi).
TEST(WeightedIntegrand, TestsProductsWithOtherFunctions) {
  const Form form = make_form(coupled_spec(2));
  const auto w = pairs(form, SymbolKind::direction, SymbolKind::direction_gradient);
  const double phi = 0.7, slope[2] = {0.3, -0.9};
  const auto product = [&](const Symbol &symbol) {
    if (symbol.kind != SymbolKind::direction_gradient)
      return phi * value_inside(symbol);
    const double value = value_inside(
        {.kind = SymbolKind::direction, .index = symbol.index, .component = symbol.component});
    return phi * value_inside(symbol) + value * slope[symbol.direction];
  };
  for (const FormIntegral &integral : form.integrals) {
    const double expected = dot(values_at(integral.residual, value_inside), w, product);
    const auto outputs = values_at(weighted_integrand(form, integral), value_inside);
    ASSERT_EQ(outputs.size(), 3u);
    EXPECT_NEAR(outputs[0] * phi + outputs[1] * slope[0] + outputs[2] * slope[1], expected,
                1e-12 * std::abs(expected));
  }
}

// Values of the spec's parameters changed, as a form with other numbers has them.
std::vector<double> values_with(FormSpec spec, double k, double h, std::size_t integral) {
  spec.derived_by.reset();
  spec.parameters = {parameter("k", std::to_string(k)),
                     by_group("h", {{"left", std::to_string(h)}, {"right", "4"}})};
  const Form form = make_form(spec);
  return values_at(form.integrals[integral].residual, [&](const Symbol &symbol) {
    if (symbol.kind != SymbolKind::facet_parameter)
      return value_inside(symbol);
    const TableEntry &entry = form.facet_table[symbol.component];
    return entry.name == "h" ? entry.by_group.at("left") : 1.0;
  });
}

TEST(FormDerivative, IsTheDifferenceByAParameter) {
  for (const bool of_group : {false, true}) {
    FormSpec spec = coupled_spec(2);
    spec.derived_by = of_group ? ParameterChoice{"h", "left"} : ParameterChoice{"k", ""};
    const Form derivative = make_form_derivative(spec);
    EXPECT_EQ(derivative.auxiliary.size(), 4u); // a, its derivative, those of u and v
    for (std::size_t i = 0; i < derivative.integrals.size(); ++i) {
      // What depends on the parameter through known values and fields is left out: it is 0.
      const auto found = values_at(derivative.integrals[i].residual, [&](const Symbol &symbol) {
        const bool known =
            symbol.kind == SymbolKind::auxiliary || symbol.kind == SymbolKind::auxiliary_gradient;
        if (known && symbol.index > 0)
          return 0.0;
        const bool cells = symbol.kind == SymbolKind::cell_parameter;
        if (!cells && symbol.kind != SymbolKind::facet_parameter)
          return value_inside(symbol);
        const TableEntry &entry =
            (cells ? derivative.cell_table : derivative.facet_table)[symbol.component];
        if (entry.name == "h")
          return entry.by_group.at("left");
        return entry.name == "k" ? *entry.otherwise : 1.0;
      });
      constexpr double h = 1e-3;
      const auto more = values_with(spec, 2.5 + (of_group ? 0 : h), 3 + (of_group ? h : 0), i);
      const auto less = values_with(spec, 2.5 - (of_group ? 0 : h), 3 - (of_group ? h : 0), i);
      ASSERT_EQ(found.size(), more.size());
      for (std::size_t o = 0; o < found.size(); ++o) // both parameters are factors
        EXPECT_NEAR(found[o], (more[o] - less[o]) / (2 * h), 1e-9);
    }
  }
}

} // namespace
} // namespace weft::testing
