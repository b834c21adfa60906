#include "op/set_up/field_blocks.h"

#include <gtest/gtest.h>

#include "linalg/sub_matrix.h"
#include "op/set_up/make_csr_pattern.h"
#include "support/discrete_problem.h"

namespace weft {
namespace {

using Kinds = std::vector<FieldKind>;

struct Blocks {
  DiscreteProblem problem;
  FieldBlocks found;
  explicit Blocks(const std::string &text)
      : problem("[mesh]\nbox = { size = [1, 1], cells = [3, 3] }\n" + text),
        found(find_field_blocks(problem.d, std::vector<double>(problem.d.num_owned, 0.1))) {}
};

std::string flow(const std::string &viscous, const std::string &more = "") {
  return "[fields]\nu = { element = \"P2\", shape = \"vector\" }\np = { element = \"P1\" }\n"
         "[weak_form]\ncells.all = \"" +
         viscous + " - 3*p*div(test(u)) - div(u)*test(p)" + more + "\"\n";
}

TEST(FieldBlocks, APressureConstrainsAVelocity) {
  const Blocks stokes(flow("5*inner(grad(u), grad(test(u)))"));
  EXPECT_EQ(stokes.found.kinds, (Kinds{FieldKind::elliptic, FieldKind::constraint}));
  EXPECT_EQ(stokes.found.constrained, (std::vector<int>{-1, 0}));
  EXPECT_EQ(stokes.found.order, (std::vector<int>{1, 0}));
  EXPECT_TRUE(stokes.found.solvable());
  EXPECT_FALSE(stokes.found.ignores_rotations[0]);
  EXPECT_TRUE(Blocks(flow("2*inner(sym(grad(u)), sym(grad(test(u))))", " - 0.1*p*test(p)"))
                  .found.ignores_rotations[0]);
  EXPECT_FALSE(stokes.found.commutes[1]);
  EXPECT_TRUE(stokes.found.definite());
}

TEST(FieldBlocks, ACommutatorWhereMoreThanViscosityIsConstrained) {
  for (const char *more : {"dot(dot(grad(u), u), test(u))", "2*dot(u, test(u))"}) {
    const Blocks flowing(flow(std::string("inner(grad(u), grad(test(u))) + ") + more));
    EXPECT_EQ(flowing.found.kinds[1], FieldKind::constraint) << more;
    EXPECT_TRUE(flowing.found.commutes[1]) << more;
    EXPECT_EQ(flowing.found.order, (std::vector<int>{1, 0})) << more;
    EXPECT_TRUE(flowing.found.solvable()) << more;
    EXPECT_FALSE(flowing.found.definite()) << more;
  }
  EXPECT_EQ(
      Blocks(flow("inner(grad(u), grad(test(u))) + dot(dot(grad(u), u), test(u))")).found.kinds[0],
      FieldKind::transported);
  // From rest, where nothing convects yet.
  const DiscreteProblem from_rest(
      "[mesh]\nbox = { size = [1, 1], cells = [3, 3] }\n" +
      flow("inner(grad(u), grad(test(u))) + dot(dot(grad(u), u), test(u))"));
  const FieldBlocks found =
      find_field_blocks(from_rest.d, std::vector<double>(from_rest.d.num_owned, 0.));
  EXPECT_EQ(found.kinds[0], FieldKind::transported);
  EXPECT_TRUE(found.commutes[1]);
  // The commutator knows no block of the pressure's own.
  EXPECT_FALSE(Blocks(flow("inner(grad(u), grad(test(u))) + dot(dot(grad(u), u), test(u))",
                           " - 0.1*p*test(p)"))
                   .found.solvable());
}

TEST(FieldBlocks, OneFieldDrivesTheOther) {
  const std::string fields = "[fields]\nu = { element = \"P1\", shape = \"vector\" }\n"
                             "T = { element = \"P1\" }\n[weak_form]\ncells.all = ";
  const Blocks heat(fields + "\"inner(grad(T), grad(test(T))) + "
                             "inner(sym(grad(u)) - T*identity, sym(grad(test(u))))\"\n");
  EXPECT_EQ(heat.found.kinds, (Kinds{FieldKind::elliptic, FieldKind::elliptic}));
  EXPECT_EQ(heat.found.order, (std::vector<int>{1, 0}));
  EXPECT_TRUE(heat.found.couples[0][1]);
  EXPECT_FALSE(heat.found.couples[1][0]);
  EXPECT_TRUE(heat.found.solvable());
  // By way of a boundary alone.
  const Blocks boundary(fields + "\"inner(grad(T), grad(test(T))) + inner(sym(grad(u)), "
                                 "sym(grad(test(u))))\"\nfacets.x0 = \"u[0]*test(T)\"\n");
  EXPECT_FALSE(boundary.found.couples[0][1]);
  EXPECT_TRUE(boundary.found.couples[1][0]);
  EXPECT_EQ(boundary.found.order, (std::vector<int>{0, 1}));
}

TEST(FieldBlocks, WhatNoBlockSolves) {
  // Cahn and Hilliard: both blocks are masses, and all that matters is between them.
  EXPECT_FALSE(Blocks("[fields]\nc = {}\nm = {}\n[weak_form]\ncells.all = "
                      "\"dt(c)*test(c) + inner(grad(m), grad(test(c))) + m*test(m) - "
                      "inner(grad(c), grad(test(m)))\"\n[initial]\nc = \"x\"\n[time]\nend = 1\n"
                      "step = 1\n")
                   .found.solvable());
}

// Of a flow with p from 0 to 1 in an area of 1: what the weighted mass matrix adds up to.
double mass_of_pressure(const std::string &viscosity) {
  const Blocks stokes(flow(viscosity, " - 0.25*p*test(p)"));
  const Discretisation &d = stokes.problem.d;
  const CsrPattern all = make_csr_pattern(d);
  const std::vector<double> values(all.columns.size(), 1.);
  const std::int64_t nodes = d.map_of_field(1).num_owned;
  const DofRange pressure{d.field_offset[1], nodes};
  const HostMatrix mass = constraint_mass(d, std::vector<double>(d.num_owned, 0.), 1, 0,
                                          sub_matrix(all, values.data(), pressure, pressure));
  double sum = 0;
  for (const double value : mass.values)
    sum += value;
  return sum;
}

// The mass matrix times b b'/mu + c.
TEST(FieldBlocks, TheMassOfAConstraintIsWeighted) {
  EXPECT_NEAR(mass_of_pressure("5*inner(grad(u), grad(test(u)))"), 3 * 1 / 5.0 + 0.25, 1e-12);
  EXPECT_NEAR(mass_of_pressure("2*5*inner(sym(grad(u)), sym(grad(test(u))))"), 3 * 1 / 10.0 + 0.25,
              1e-12);
}

} // namespace
} // namespace weft
