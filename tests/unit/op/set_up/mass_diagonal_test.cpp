#include "op/set_up/mass_diagonal.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/discrete_problem.h"

namespace weft {
namespace {

// On a triangle the squares of the hat functions integrate to a sixth of its area each.
TEST(MassDiagonal, OfHatFunctions) {
  const DiscreteProblem problem(
      "[mesh]\nbox = { size = [2, 1], cells = [3, 4], cell = \"triangle\" }\n"
      "[fields]\nu = { element = \"P1\", shape = \"vector\" }\n[weak_form]\n"
      "cells.all = \"inner(grad(u), grad(test(u)))\"\n");
  const std::vector<double> mass = mass_diagonal(problem.d, 0);
  ASSERT_EQ(mass.size(), 2u * 20);
  EXPECT_NEAR(std::accumulate(mass.begin(), mass.end(), 0.), 2 * 2 * 3 / 6., 1e-13);
  // A corner belongs to one triangle or two.
  const double triangle = 2. / 24;
  EXPECT_NEAR(mass[0], mass[0] > 1.5 * triangle / 6 ? triangle / 3 : triangle / 6, 1e-14);
  EXPECT_EQ(mass[0], mass[1]);
}

} // namespace
} // namespace weft
