#include "op/set_up/definiteness.h"

#include <gtest/gtest.h>

#include "support/discrete_problem.h"

namespace weft {
namespace {

bool is_semidefinite(const std::string &text) {
  const DiscreteProblem problem("[mesh]\nbox = { size = [1, 1], cells = [3, 3] }\n" + text);
  return integrand_is_semidefinite(problem.d, std::vector<double>(problem.d.num_owned, 0.1));
}

TEST(Definiteness, IsSeenInTheIntegrand) {
  const std::string scalar = "[fields]\nu = { element = \"P2\" }\n[weak_form]\ncells.all = ";
  EXPECT_TRUE(is_semidefinite(scalar + "\"inner(grad(u), grad(test(u))) - test(u)\"\n"));
  EXPECT_TRUE(is_semidefinite(scalar + "\"(1 + x)*inner(grad(u), grad(test(u))) + u*test(u)\"\n"));
  EXPECT_FALSE(is_semidefinite(scalar + "\"inner(grad(u), grad(test(u))) - 9*u*test(u)\"\n"));
  EXPECT_FALSE(is_semidefinite(scalar + "\"-inner(grad(u), grad(test(u)))\"\n"));
  // Changes its sign over the mesh.
  EXPECT_FALSE(is_semidefinite(scalar + "\"(x - 0.5)*inner(grad(u), grad(test(u)))\"\n"));
}

TEST(Definiteness, FieldsThatConstrainOthersAreNone) {
  const std::string fields = "[fields]\nu = { element = \"P2\", shape = \"vector\" }\n"
                             "p = { element = \"P1\" }\n[weak_form]\ncells.all = ";
  EXPECT_FALSE(is_semidefinite(
      fields + "\"1e5*inner(grad(u), grad(test(u))) - p*div(test(u)) - div(u)*test(p)\"\n"));
  EXPECT_TRUE(
      is_semidefinite(fields + "\"1e5*inner(sym(grad(u)), grad(test(u))) + 1e-5*p*test(p)\"\n"));
}

} // namespace
} // namespace weft
