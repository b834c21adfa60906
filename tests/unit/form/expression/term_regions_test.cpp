// Where terms are integrated whose fields are in some regions only.
#include <gtest/gtest.h>

#include "support/form_testing.h"

namespace weft::testing {
namespace {

// u in region a, v in b, w everywhere.
FormSpec three_fields(Domain domain, const std::string &integrand,
                      const std::vector<std::string> &groups = {}) {
  return {.dim = 2,
          .fields = {{.name = "u", .cells = {"a"}}, {.name = "v", .cells = {"b"}}, {.name = "w"}},
          .integrals = {integral(Domain::cells, "u*test(u) + v*test(v) + w*test(w)"),
                        integral(domain, integrand, groups)}};
}

const FormIntegral &of_domain(const Form &form, Domain domain) {
  for (const FormIntegral &integral : form.integrals)
    if (integral.domain == domain)
      return integral;
  throw std::logic_error("no such integral");
}

// The residual where a cell is in these regions, all fields being 2, 3 and 5; between two cells
// minus is in one of them and plus in the other.
std::vector<double> residual(const Form &form, Domain domain, const std::string &minus,
                             const std::string &plus) {
  return values_at(of_domain(form, domain).residual, [&](const Symbol &s) {
    if (s.kind == SymbolKind::cell_parameter) {
      const auto &groups = form.cell_table[s.component].by_group;
      return groups.contains(s.side == Side::plus ? plus : minus) ? 1.0 : 0.0;
    }
    if (s.kind == SymbolKind::facet_parameter) // of the named group
      return 1.0;
    return s.kind == SymbolKind::field ? std::array{2.0, 3.0, 5.0}[s.index] : 0.0;
  });
}

TEST(TermRegions, EachTermIsWhereItsFieldsAre) {
  const Form form = make_form(three_fields(Domain::cells, "w*(u + 10*v + 100)*test(w)"));
  // Outputs: of each field its value, then its gradient.
  EXPECT_EQ(residual(form, Domain::cells, "a", ""),
            (std::vector<double>{2, 0, 0, 0, 0, 0, 5 + 5 * (2 + 100), 0, 0}));
  EXPECT_EQ(residual(form, Domain::cells, "b", ""),
            (std::vector<double>{0, 0, 0, 3, 0, 0, 5 + 5 * (30 + 100), 0, 0}));
  EXPECT_EQ(residual(form, Domain::cells, "c", ""),
            (std::vector<double>{0, 0, 0, 0, 0, 0, 5 + 500, 0, 0}));
}

TEST(TermRegions, FunctionsOfSumsAreOneTerm) {
  const Form form = make_form(three_fields(Domain::cells, "(u + w)^2/w*test(w)"));
  EXPECT_EQ(residual(form, Domain::cells, "b", "")[6], 5 + 5); // (0 + w)^2 has w^2/w alone
  const Form root = make_form(three_fields(Domain::cells, "sqrt(u + w)*test(w)"));
  EXPECT_EQ(residual(root, Domain::cells, "b", "")[6], 5);
}

TEST(TermRegions, FieldsOnOneSideNeedNoSide) {
  const Form form =
      make_form(three_fields(Domain::interior, "(u - v)*(test(u) - test(v))", {"glue"}));
  const std::vector<double> forth = residual(form, Domain::interior, "a", "b");
  const std::vector<double> back = residual(form, Domain::interior, "b", "a");
  ASSERT_EQ(forth.size(), 18u); // minus, then plus
  EXPECT_EQ(forth[0], -1);
  EXPECT_EQ(forth[9 + 3], 1);
  EXPECT_EQ(back[3], 1);
  EXPECT_EQ(back[9], -1);
  EXPECT_EQ(forth[3] + forth[9] + back[0] + back[9 + 3], 0);
  EXPECT_TRUE(form.symmetric);
  EXPECT_TRUE(form.linear);
}

TEST(TermRegions, JumpsAndMeansAreWhereAFieldIsOnBothSides) {
  const Form form = make_form(
      three_fields(Domain::interior, "(jump(u) + 1)*jump(test(u)) + minus(w)*avg(test(w))"));
  const std::vector<double> within = residual(form, Domain::interior, "a", "a");
  EXPECT_EQ(within[0], 1);
  EXPECT_EQ(within[9], -1);
  const std::vector<double> at_the_end = residual(form, Domain::interior, "a", "b");
  EXPECT_EQ(at_the_end[0], 0);
  EXPECT_EQ(at_the_end[9], 0);
  EXPECT_EQ(at_the_end[6], 2.5);
}

TEST(TermRegions, WhatIsOverAllIsRestrictedOverGroupsItIsNot) {
  const Form form = make_form(three_fields(Domain::cells, "u*test(w)", {"a1"}));
  bool by_group = false, over_all = false;
  for (const RestrictedTerms &terms : form.restricted) {
    by_group = by_group || (terms.groups == std::vector<std::string>{"a1"} &&
                            terms.regions == TermRegions{{{"a"}, Side::none}});
    over_all = over_all || terms.groups.empty();
  }
  EXPECT_TRUE(by_group);
  EXPECT_TRUE(over_all);
}

TEST(TermRegions, TheNormalNeedsASign) {
  const auto of = [](const std::string &integrand) {
    FormSpec spec = three_fields(Domain::interior, integrand, {"glue"});
    spec.parameters = {by_group("out", {{"a", "1"}, {"b", "-1"}})};
    return spec;
  };
  EXPECT_NE(input_error([&] { make_form(of("u*n[0]*test(v)")); }).find("which way it points"),
            std::string::npos);
  EXPECT_NO_THROW(make_form(of("u*minus(out)*n[0]*test(v)")));
}

} // namespace
} // namespace weft::testing
