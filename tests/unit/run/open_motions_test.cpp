// A simulation that is solved again, from where it is, gives the same means.
#include "run/open_motions.h"

#include <fstream>
#include <gtest/gtest.h>

#include "op/evaluate/field_values.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

TEST(OpenMotions, AreFixedOnce) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("case.toml"))
      << "[mesh]\nbox = { size = [1, 1], cells = [4, 4] }\n"
         "[fields]\nT = { element = \"P2\" }\n[weak_form]\n"
         "cells.all = \"inner(grad(T), grad(test(T))) - (x - 0.5)*test(T)\"\n"
         "[mean]\nT = 7\n[functionals]\nmean = { average = \"T\" }\n"
         "end = { point = [1, 1], value = \"T\" }\n";
  const auto s = make_simulation(folder.file("case.toml"), {});
  double end = 0;
  for (int time = 0; time < 2; ++time) {
    solve(*s, false);
    ASSERT_TRUE(s->solver.converged) << s->solver.reason;
    EXPECT_EQ(s->null_space.motions.size(), 1u);
    EXPECT_EQ(s->discretisation.fixed.dofs.size(), 1u);
    const std::vector<FunctionalValue> values = functionals(s->c, s->discretisation, s->state);
    EXPECT_NEAR(values[0].values[0], 7, 1e-12);
    if (time > 0) {
      EXPECT_NEAR(values[1].values[0], end, 1e-8);
    }
    end = values[1].values[0];
  }
  EXPECT_NEAR(end, 7 + 1 / 24.0, 1e-3); // half of what T rises by
}

} // namespace
} // namespace weft
