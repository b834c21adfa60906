#include "op/set_up/mass_diagonal.h"

#include <gtest/gtest.h>

#include <cmath>
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
  for (std::size_t node = 0; node < 20; ++node) {
    const double num_triangles = mass[2 * node] / (2. / 24 / 6);
    EXPECT_NEAR(num_triangles, std::round(num_triangles), 1e-12) << node;
    EXPECT_GE(num_triangles, 1 - 1e-12) << node;
    EXPECT_EQ(mass[2 * node], mass[2 * node + 1]) << node;
  }
}

} // namespace
} // namespace weft
