#include "form/law/law_reaction.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/form_testing.h"

namespace weft {
namespace {

SourceText law_text(const std::string &value) {
  return {.text = value, .file = "case.toml", .line = 7, .key = "source"};
}

FormSpec two_fields() {
  FormSpec spec;
  spec.dim = 2;
  spec.fields = {{.name = "u", .order = 1, .discontinuous = true},
                 {.name = "w", .shape = {2}, .order = 1, .discontinuous = true}};
  spec.law.emplace();
  spec.law->flux = {{"u", law_text("[u, 0]")}};
  return spec;
}

// Different for each component and side.
double value_of(const Symbol &s) {
  return 2 + 3 * s.index + s.component + (s.side == Side::plus ? 0.5 : 0);
}

// Source over capacity; the component itself from one side, all others from the other.
TEST(LawReaction, RatesAndSlopesKnowTheirOwnComponent) {
  FormSpec spec = two_fields();
  spec.law->source = {{"u", law_text("u^2*w[0] + w[1]")}, {"w", law_text("[w[0]*w[1], 3*u]")}};
  spec.law->capacity = {{"u", law_text("4")}};
  const LawReactions r = make_law_reactions(spec);
  ASSERT_EQ(r.num_components, 3);
  const double u = 2, w0 = 5, u_other = 2.5, w0_other = 5.5, w1_other = 6.5;
  EXPECT_EQ(testing::values_at(r.rate, value_of),
            (std::vector<double>{(u * u * w0_other + w1_other) / 4, w0 * w1_other, 3 * u_other}));
  EXPECT_EQ(testing::values_at(r.slope, value_of),
            (std::vector<double>{2 * u * w0_other / 4, w1_other, 0}));
  EXPECT_TRUE(r.slope.output_is_zero(2));
}

TEST(LawReaction, FieldsWithoutASourceStay) {
  FormSpec spec = two_fields();
  spec.law->source = {{"u", law_text("-u")}};
  const LawReactions r = make_law_reactions(spec);
  EXPECT_FALSE(r.rate.output_is_zero(0));
  EXPECT_TRUE(r.rate.output_is_zero(1) && r.rate.output_is_zero(2));
  EXPECT_TRUE(without_sources(spec).law->source.empty());
  EXPECT_EQ(without_sources(spec).law->flux.size(), 1u);
}

TEST(LawReaction, GradientsAreRefused) {
  FormSpec spec = two_fields();
  spec.law->source = {{"u", law_text("dot([1, 2], grad(u))")}};
  try {
    make_law_reactions(spec);
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_NE(std::string(e.what()).find("gradients"), std::string::npos);
    EXPECT_NE(e.diagnostic().where.find("case.toml:7"), std::string::npos);
  }
}

} // namespace
} // namespace weft
