// What forms leave open: constants, turns, and combinations of them; on the reference device.
#include "op/set_up/null_space.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "op/weak_form/form_operator.h"
#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {
namespace {

struct Open {
  DiscreteProblem problem;
  FormOperator op;
  Vector u;
  NullSpace space;

  explicit Open(const std::string &text)
      : problem(text), op(test_device(), problem.d, {}),
        u(make_vector(op.device(), op.size(), op.precision(), "state")) {
    set_vector(op.device(), u, std::vector<double>(op.size(), 0.));
    op.set_constrained(u);
    space = find_null_space(op, problem.d, u);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const OpenMotion &motion : space.motions)
      names.push_back(name_of(problem.d, motion));
    return names;
  }
};

using Names = std::vector<std::string>;

std::string box(int dim) {
  return dim == 2
             ? "[mesh]\nbox = { size = [1, 2], cells = [3, 2] }\n"
             : "[mesh]\nbox = { size = [1, 2, 1], cells = [2, 2, 2], cell = \"tetrahedron\" }\n";
}

std::string neumann(const std::string &more) {
  return box(2) + "[fields]\nT = { element = \"P2\" }\n[weak_form]\n" +
         "cells.all = \"inner(grad(T), grad(test(T))) - (x - 0.5)*test(T)\"\n" + more;
}

std::string elastic(int dim, const std::string &more) {
  return box(dim) + "[fields]\nu = { element = \"P1\", shape = \"vector\" }\n[weak_form]\n" +
         "cells.all = \"inner(sym(grad(u)), sym(grad(test(u))))\"\n" + more;
}

TEST(NullSpace, ConstantsThatNothingDetermines) {
  EXPECT_EQ(Open(neumann("")).names(), Names{"T"});
  EXPECT_EQ(Open(neumann("facets.x0 = \"1e-3*T*test(T)\"\n")).names(), Names{});
  EXPECT_EQ(Open(neumann("[dirichlet]\nx0 = { T = 1 }\n")).names(), Names{});
  EXPECT_EQ(Open(box(2) + "[fields]\nu = { element = \"P2\", shape = \"vector\" }\n"
                          "p = { element = \"P1\" }\n[weak_form]\ncells.all = "
                          "\"inner(grad(u), grad(test(u))) - p*div(test(u)) - div(u)*test(p)\"\n"
                          "[dirichlet]\nall = { u = [0, 0] }\n")
                .names(),
            Names{"p"});
}

TEST(NullSpace, BodiesWithoutEnoughSupports) {
  EXPECT_EQ(Open(elastic(2, "")).names(), (Names{"u[0]", "u[1]", "turns of u"}));
  EXPECT_EQ(Open(elastic(3, "")).space.motions.size(), 6u);
  EXPECT_EQ(Open(elastic(2, "[dirichlet]\nx0 = { u = [0, 0] }\n")).names(), Names{});
  EXPECT_EQ(Open(elastic(2, "[dirichlet]\nx0 = { \"u[0]\" = 0 }\n")).names(), Names{"u[1]"});
  // Slides along y and z, and turns about x.
  EXPECT_EQ(Open(elastic(3, "[dirichlet]\nx0 = { \"u[0]\" = 0 }\n")).names(),
            (Names{"u[1]", "u[2]", "turns of u"}));
  // Diffusion of a vector resists turns.
  std::string diffusion = elastic(2, "");
  diffusion.replace(diffusion.find("inner(sym(grad(u)), sym(grad(test(u))))"), 39,
                    "inner(grad(u), grad(test(u)))");
  EXPECT_EQ(Open(diffusion).names(), (Names{"u[0]", "u[1]"}));
}

TEST(NullSpace, ANonlinearFormIsOpenAtEveryState) {
  const std::string fields = box(2) + "[fields]\nT = { element = \"P1\" }\n[weak_form]\n";
  EXPECT_EQ(Open(fields + "cells.all = \"(1 + inner(grad(T), grad(T)))*inner(grad(T), "
                          "grad(test(T)))\"\n")
                .names(),
            Names{"T"});
  EXPECT_EQ(Open(fields + "cells.all = \"inner(grad(T), grad(test(T))) + T^3*test(T)\"\n").names(),
            Names{});
}

TEST(NullSpace, SourcesMustBalance) {
  Open balanced(neumann("")), not_balanced(neumann("facets.x1 = \"-test(T)\"\n"));
  EXPECT_NO_THROW(check_balance(balanced.op, balanced.problem.d, balanced.space, balanced.u));
  try {
    check_balance(not_balanced.op, not_balanced.problem.d, not_balanced.space, not_balanced.u);
    FAIL() << "a source without a sink";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("sum up to -2"), std::string::npos) << error.what();
  }
}

TEST(NullSpace, IsFixedAndTakenOut) {
  for (const int dim : {2, 3}) {
    const Open open(elastic(dim, ""));
    const std::vector<std::int32_t> dofs = dofs_to_fix(open.problem.d, open.space);
    EXPECT_EQ(dofs.size(), open.space.motions.size());
    // Fixing them leaves nothing open.
    Open fixed(elastic(dim, ""));
    fixed.problem.d.constraints = {.dofs = dofs, .values = std::vector<double>(dofs.size(), 0.)};
    FormOperator op(test_device(), fixed.problem.d, {});
    EXPECT_TRUE(find_null_space(op, fixed.problem.d, fixed.u).empty());
    // A state of nothing but motions comes down to the means asked for.
    std::vector<double> state(open.problem.d.num_owned, 0.);
    for (std::size_t m = 0; m < open.space.motions.size(); ++m)
      for (std::size_t i = 0; i < state.size(); ++i)
        state[i] += (1.0 + double(m)) * open.space.motions[m].values[i];
    take_out(open.problem.d, open.space, {std::vector<double>(dim, 0.25)}, state);
    for (const double value : state)
      EXPECT_NEAR(value, 0.25, 1e-12);
  }
}

} // namespace
} // namespace weft
