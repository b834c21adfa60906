#include "form/law/form_text.h"

#include <gtest/gtest.h>

#include "form/expression/expression.h"
#include "support/form_testing.h"

namespace weft {
namespace {

TEST(FormText, HeatSink) {
  FormSpec spec{.dim = 2, .fields = {{.name = "T"}}};
  spec.parameters = {testing::by_group("k", {{"fins", "205"}, {"base", "390"}}),
                     testing::parameter("T_air", "293")};
  spec.integrals = {
      testing::integral(Domain::cells, "k*inner(grad(T), grad(test(T)))"),
      testing::integral(Domain::facets, "exp(T)*(T - T_air)*test(T)", {"fins"}),
  };
  EXPECT_EQ(form_text(make_form(spec)), "non-linear, symmetric\n"
                                        "cells (all)\n"
                                        "  residual, 2 operations\n"
                                        "    f1(T)[0] = {k}*grad(T)[0]\n"
                                        "    f1(T)[1] = {k}*grad(T)[1]\n"
                                        "  linearised, 2 operations\n"
                                        "    f1(T)[0] = {k}*grad(d(T))[0]\n"
                                        "    f1(T)[1] = {k}*grad(d(T))[1]\n"
                                        "facets (fins)\n"
                                        "  residual, 5 operations\n"
                                        "    f0(T) = where(0.5 < {in fins}, exp(T)*(T - 293), 0)\n"
                                        "  linearised, 7 operations\n"
                                        "    v1 = exp(T)*d(T)\n"
                                        "    f0(T) = where(0.5 < {in fins}, v1 + (T - 293)*v1, 0)\n"
                                        "by region\n"
                                        "  k: base = 390, fins = 205\n"
                                        "by facet group\n"
                                        "  in fins: fins = 1, elsewhere 0\n");
}

TEST(FormText, ConservationLaw) {
  FormSpec spec{.dim = 2, .fields = {{.name = "q", .discontinuous = true}}};
  spec.parameters = {testing::by_group("k", {{"a", "2"}})};
  ConservationLawSpec &law_spec = spec.law.emplace();
  law_spec.flux["q"] = testing::text("[q, 0] - k*grad(q)");
  law_spec.source["q"] = testing::text("-q");
  law_spec.numerical_flux = testing::text("central");
  spec.boundaries = {{.group = "x0", .flux = {{"q", testing::text("minus(q)*n[0]")}}}};
  const ConservationLaw law = make_conservation_law(spec);
  const std::string text =
      law_text(law, {.dim = 2, .fields = spec.fields, .cell_table = law.cell_table});
  for (const char *part :
       {"linear, with second derivatives\n", "    flux(q)[0] = q - {k}*grad(q)[0]\n",
        "    source(q) = -q\n", "capacity in cells, 0 operations\n    capacity(q) = 1\n", "penalty",
        "minus({k})",
        "boundary x0, 1 operations\n    normal_flux(q) = ", "by region\n  k: a = 2\n"})
    testing::expect_in(part, text);
}

TEST(FormText, FiniteVolumes) {
  FormSpec spec{
      .dim = 2,
      .fields = {{.name = "q", .order = 0, .discontinuous = true, .finite_volume = true}}};
  ConservationLawSpec &law_spec = spec.law.emplace();
  law_spec.flux["q"] = testing::text("[q, 0] - grad(q)");
  const auto text_of = [&] {
    return law_text(make_conservation_law(spec), {.dim = 2, .fields = spec.fields});
  };
  for (const char *part : {"finite volumes: linear reconstruction, limiter venkatakrishnan; "
                           "corrected diffusion\n",
                           "minus(limiter(q))", "plus(facet_offset[1])", "conormal(q)[0] = "})
    testing::expect_in(part, text_of());
  law_spec.reconstruction = "constant";
  law_spec.diffusion = "two_point";
  testing::expect_in("finite volumes: means of cells on facets; two-point diffusion\n", text_of());
}

// The printed right-hand sides are in the case language: read again, they have the same values.
TEST(FormText, ReadsBack) {
  const std::string integrand =
      "(a - (b - c)/(a/b*c))*test(u) + (-a)^3*(b - -c)*test(u) - where(a < b and not (b < c or "
      "a == c), a*(b + c), -(a*b)^1.5)*test(u) + min(a, b - c)/(-2*a)*test(u)";
  FormSpec spec = testing::one_field(2, integrand);
  spec.definitions = {testing::definition("a", "u"), testing::definition("b", "1 + x"),
                      testing::definition("c", "2*y")};
  const Form form = make_form(spec);
  const std::string text = form_text(form);

  FormSpec again{.dim = 2, .fields = spec.fields};
  std::string result;
  const auto residual_end = text.find("  linearised");
  for (std::size_t at = text.find("    "); at < residual_end; at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at + 4, text.find('\n', at) - at - 4);
    const auto equals = line.find(" = ");
    const std::string name = line.substr(0, equals), value = line.substr(equals + 3);
    if (name == "f0(u)")
      result = value;
    else
      again.definitions.push_back(testing::definition(name, value));
  }
  const Expression read = make_expression(again, testing::text(result), {}, true, false);
  EXPECT_DOUBLE_EQ(testing::values_at(read.function, testing::some_value)[0],
                   testing::values_at(form.integrals[0].residual, testing::some_value)[0]);
}

TEST(FormText, SymbolsOfInteriorFacets) {
  FormSpec spec = testing::one_field(2, "dot(u, test(u))", Shape{2});
  spec.integrals.push_back(
      testing::integral(Domain::interior, "dot(dot(minus(grad(u)), n), minus(test(u)))"));
  const std::string text = form_text(make_form(spec));
  testing::expect_in("interior facets (all)", text);
  testing::expect_in("f0(minus(u))[1] = minus(grad(u)[1, 0])*n[0]", text);
}

} // namespace
} // namespace weft
