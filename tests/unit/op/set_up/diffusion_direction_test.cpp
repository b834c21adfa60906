#include "op/set_up/diffusion_direction.h"

#include <gtest/gtest.h>

#include "support/discrete_problem.h"

namespace weft {
namespace {

bool runs_backwards(const std::string &text) {
  const DiscreteProblem problem("[mesh]\nbox = { size = [1, 1], cells = [3, 3] }\n" + text +
                                "[time]\nend = 1\nstep = 0.1\n");
  return diffusion_runs_backwards(problem.d, std::vector<double>(problem.d.num_owned, 0.1));
}

std::string scalar(const std::string &integrand) {
  return "[fields]\nu = { element = \"P1\" }\n[weak_form]\ncells.all = \"" + integrand + "\"\n";
}

std::string pair(const std::string &integrand) {
  return "[fields]\nu = { element = \"P1\", shape = \"vector\" }\nv = { element = \"P1\", shape = "
         "\"vector\" }\n[weak_form]\ncells.all = \"" +
         integrand + "\"\n";
}

TEST(DiffusionDirection, IsSeenInSignsOfRateAndGradient) {
  EXPECT_FALSE(runs_backwards(scalar("dt(u)*test(u) + inner(grad(u), grad(test(u)))")));
  EXPECT_FALSE(runs_backwards(scalar("-dt(u)*test(u) - inner(grad(u), grad(test(u)))")));
  EXPECT_TRUE(runs_backwards(scalar("dt(u)*test(u) - inner(grad(u), grad(test(u)))")));
  EXPECT_TRUE(runs_backwards(scalar("-dt(u)*test(u) + u^2*inner(grad(u), grad(test(u)))")));
  // One direction is enough.
  EXPECT_TRUE(runs_backwards(
      scalar("dt(u)*test(u) + grad(u)[0]*grad(test(u))[0] - 1e-3*grad(u)[1]*grad(test(u))[1]")));
}

TEST(DiffusionDirection, ReactionsAndPlacesMayHaveAnySign) {
  EXPECT_FALSE(
      runs_backwards(scalar("dt(u)*test(u) - 50*u*test(u) + inner(grad(u), grad(test(u)))")));
  EXPECT_FALSE(runs_backwards(scalar("dt(u)*test(u) + (x - 0.5)*inner(grad(u), grad(test(u)))")));
  EXPECT_FALSE(runs_backwards(scalar("dt(u)*test(u) + grad(u)[0]*test(u)")));
}

TEST(DiffusionDirection, OfSeveralFields) {
  // Waves; Schroedinger's equation; cross diffusion; a field without a rate.
  const std::string strain = "inner(sym(grad(u)), sym(grad(test(v))))";
  EXPECT_FALSE(
      runs_backwards(pair("dot(dt(u) - v, test(u)) + 1e-3*dot(dt(v), test(v)) + 2e5*" + strain)));
  EXPECT_FALSE(runs_backwards(pair("dot(dt(u), test(u)) + dot(dt(v), test(v)) + inner(grad(v), "
                                   "grad(test(u))) - inner(grad(u), grad(test(v)))")));
  EXPECT_TRUE(runs_backwards(pair("dot(dt(u), test(u)) + dot(dt(v), test(v)) + inner(grad(u), "
                                  "grad(test(u))) - inner(grad(v), grad(test(v)))")));
  EXPECT_FALSE(runs_backwards(pair("dot(dt(u), test(u)) + inner(grad(v), grad(test(u))) + dot(v, "
                                   "test(v)) - inner(grad(u), grad(test(v)))")));
}

} // namespace
} // namespace weft
