#include <gtest/gtest.h>

#include "output/checkpoint.h"
#include "support/discrete_problem.h"

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
  const DiscreteProblem p(case_text);
  return checkpoint_identity(p.c, p.d, "bdf2");
}

std::string with(const std::string &text, const std::string &old, const std::string &replacement) {
  std::string result = text;
  return result.replace(text.find(old), old.size(), replacement);
}

// A change of a case, and what of its identity follows: the settings that differ, by their places.
struct Change {
  const char *old, *replacement;
  bool unknowns, mesh;
  std::vector<std::string> settings;
};

void expect_changes(const std::string &text, const std::vector<Change> &changes) {
  const CheckpointIdentity first = identity_of(text);
  for (const Change &change : changes) {
    const CheckpointIdentity other = identity_of(with(text, change.old, change.replacement));
    EXPECT_EQ(first.unknowns != other.unknowns, change.unknowns) << change.replacement;
    EXPECT_EQ(first.mesh != other.mesh, change.mesh) << change.replacement;
    std::vector<std::string> differing;
    for (const auto &[key, value] : first.settings)
      if (const auto found = other.settings.find(key);
          found == other.settings.end() || found->second != value)
        differing.push_back(key);
    EXPECT_EQ(differing, change.settings) << change.replacement;
    EXPECT_EQ(first.settings.size(), other.settings.size()) << change.replacement;
  }
}

TEST(CheckpointIdentity, IsTheSameForTheSameCase) {
  const CheckpointIdentity a = identity_of(text),
                           b = identity_of("# a comment\n" + with(text, "k = 2.0", "k  =  2"));
  EXPECT_EQ(a.unknowns, b.unknowns);
  EXPECT_EQ(a.mesh, b.mesh);
  EXPECT_EQ(a.settings, b.settings);
  EXPECT_EQ(a.scheme, "bdf2");
  EXPECT_EQ(a.mesh_name, "box, 18 cells");
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
  expect_changes(
      law, {
               {"DG2", "DG3", true, false, {"[fields] u"}},
               {"[u, u]", "[u, 2*u]", false, false, {"[conservation_law] flux.u"}},
               {"= \"1\"", "= \"2\"", false, false, {"[conservation_law] source.u"}},
               {"central", "lax_friedrichs", false, false, {"[conservation_law] numerical_flux"}},
               {"wave_speed = \"2\"",
                "wave_speed = \"3\"",
                false,
                false,
                {"[conservation_law] wave_speed"}},
               {"u = 0", "u = 1", false, false, {"[boundary] all.outer.u"}},
               {"step = 0.1", "step = 0.2", false, false, {"[time] step"}},
               {"end = 1", "end = 2", false, false, {}},
           });
}

TEST(CheckpointIdentity, EachPartAnswersToItsOwnChanges) {
  expect_changes(text,
                 {
                     {"cells = [3, 3]", "cells = [3, 4]", true, true, {}},
                     {"size = [1, 1]", "size = [2, 2]", false, true, {}},
                     {"cells = [3, 3]", "cells = [3, 3], periodic = [\"y\"]", true, false, {}},
                     {"\"P1\"", "\"P2\"", true, false, {"[fields] T"}},
                     {"T*test(T)", "3*T*test(T)", false, false, {"[weak_form] facets.x1"}},
                     {"k*grad(T)", "k*k*grad(T)", false, false, {"[definitions] flux"}},
                     {"k = 2.0", "k = 3.0", false, false, {"[parameters] k"}},
                     {"{ T = 1 }", "{ T = 2 }", false, false, {"[dirichlet] x0.T"}},
                 });
}

} // namespace
} // namespace weft
