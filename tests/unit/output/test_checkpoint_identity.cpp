#include <gtest/gtest.h>

#include "output/checkpoint.h"
#include "unit/op/problem.h"

namespace weft {
namespace {

const std::string text = R"toml([mesh]
box = { origin = [0, 0], size = [1, 1], cells = [3, 3], cell = "triangle" }
[parameters]
k = 2.0
[fields]
T = { element = "P1" }
[definitions]
flux = "k*grad(T)"
[weak_form]
cells.all = "inner(flux, grad(test(T))) - test(T)"
facets.x1 = "T*test(T)"
[dirichlet]
x0 = { T = 1 }
)toml";

CheckpointIdentity identity_of(const std::string &case_text) {
  const Problem p(case_text);
  return checkpoint_identity(p.c, p.d, "bdf2");
}

std::string with(const std::string &old, const std::string &replacement) {
  std::string result = text;
  return result.replace(text.find(old), old.size(), replacement);
}

TEST(CheckpointIdentity, IsTheSameForTheSameCase) {
  const CheckpointIdentity a = identity_of(text), b = identity_of("# a comment\n" + text);
  EXPECT_EQ(a.mesh, b.mesh);
  EXPECT_EQ(a.form, b.form);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.scheme, "bdf2");
}

TEST(CheckpointIdentity, OfConservationLaws) {
  const std::string law = R"toml([mesh]
box = { cells = [3, 3], cell = "triangle" }
[fields]
u = { element = "DG2" }
[conservation_law]
flux.u = "[u, u]"
source.u = "1"
numerical_flux = "central"
wave_speed = "2"
[boundary.all]
outer = { u = 0 }
[time]
end = 1
step = 0.1
)toml";
  const CheckpointIdentity first = identity_of(law);
  const struct {
    const char *old, *replacement;
    bool mesh, form, values; // changes
  } changes[] = {
      {"DG2", "DG3", true, true, false},          {"[u, u]", "[u, 2*u]", false, true, false},
      {"= \"1\"", "= \"2\"", false, true, false}, {"central", "lax_friedrichs", false, true, false},
      {"u = 0", "u = 1", false, false, true},     {"end = 1", "end = 2", false, false, false},
  };
  for (const auto &change : changes) {
    std::string other_text = law;
    other_text.replace(other_text.find(change.old), std::string(change.old).size(),
                       change.replacement);
    const CheckpointIdentity other = identity_of(other_text);
    EXPECT_EQ(first.mesh != other.mesh, change.mesh) << change.replacement;
    EXPECT_EQ(first.form != other.form, change.form) << change.replacement;
    EXPECT_EQ(first.values != other.values, change.values) << change.replacement;
  }
}

TEST(CheckpointIdentity, EachPartAnswersToItsOwnChanges) {
  const CheckpointIdentity first = identity_of(text);
  const struct {
    const char *old, *replacement;
    bool mesh, form, values; // changes
  } changes[] = {
      {"cells = [3, 3]", "cells = [3, 4]", true, false, false},
      {"size = [1, 1]", "size = [1, 2]", true, false, false},
      {"\"P1\"", "\"P2\"", true, true, false},
      {"T*test(T)", "3*T*test(T)", false, true, false},
      {"k*grad(T)", "k*k*grad(T)", false, true, false},
      {"k = 2.0", "k = 3.0", false, false, true},
      {"{ T = 1 }", "{ T = 2 }", false, false, true},
  };
  for (const auto &change : changes) {
    const CheckpointIdentity other = identity_of(with(change.old, change.replacement));
    EXPECT_EQ(first.mesh != other.mesh, change.mesh) << change.replacement;
    EXPECT_EQ(first.form != other.form, change.form) << change.replacement;
    EXPECT_EQ(first.values != other.values, change.values) << change.replacement;
  }
}

} // namespace
} // namespace weft
