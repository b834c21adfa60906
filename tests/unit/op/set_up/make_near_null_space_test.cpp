// Near null spaces against the operators that they belong to.
#include "linalg/near_null_space.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "op/reference/reference.h"
#include "op/set_up/make_near_null_space.h"
#include "support/discrete_problem.h"

namespace weft {
namespace {

std::string elastic_text(const std::string &cell, const std::string &element,
                         const std::string &dirichlet = "") {
  return box_text(cell) + "[fields]\nu = { element = \"" + element +
         "\", shape = \"vector\" }\n[weak_form]\ncells.all = \"inner(sym(grad(u)), "
         "sym(grad(test(u)))) + 2*div(u)*div(test(u))\"\n" +
         dirichlet;
}

std::vector<double> vector_of(const NearNullSpace &space, std::int64_t num_dofs, int v) {
  std::vector<double> values(num_dofs);
  for (std::int64_t dof = 0; dof < num_dofs; ++dof)
    values[dof] = space.values[dof * space.num_vectors + v];
  return values;
}

TEST(NearNullSpace, RigidBodyModesHaveNoStress) {
  for (const auto &[cell, element] : {std::pair{"triangle", "P2"},
                                      {"quadrilateral", "P1"},
                                      {"tetrahedron", "P1"},
                                      {"hexahedron", "P2"}}) {
    SCOPED_TRACE(cell);
    const DiscreteProblem p(elastic_text(cell, element));
    const NearNullSpace space = make_near_null_space(p.d, true);
    EXPECT_EQ(space.components, p.mesh.dim);
    ASSERT_EQ(space.num_vectors, p.mesh.dim == 2 ? 3 : 6);
    const std::vector<double> zero(p.d.num_owned, 0.);
    for (int v = 0; v < space.num_vectors; ++v) {
      const std::vector<double> mode = vector_of(space, p.d.num_owned, v);
      EXPECT_GT(*std::max_element(mode.begin(), mode.end()), 0.1);
      const std::vector<double> force = reference::apply(p.d, zero, mode);
      for (const double f : force)
        ASSERT_NEAR(f, 0, 1e-13) << v;
    }
  }
}

TEST(NearNullSpace, PrescribedUnknownsAreZero) {
  const DiscreteProblem p(
      elastic_text("tetrahedron", "P1", "[dirichlet]\nx0 = { \"u[1]\" = 2 }\n"));
  const NearNullSpace space = make_near_null_space(p.d, true);
  ASSERT_GT(p.d.constraints.dofs.size(), 0u);
  for (const std::int32_t dof : p.d.constraints.dofs)
    for (int v = 0; v < 6; ++v)
      EXPECT_EQ(space.values[dof * 6 + v], 0);
}

TEST(NearNullSpace, ConstantsElsewhere) {
  const DiscreteProblem scalar(box_text("triangle") +
                               "[fields]\nu = { element = \"P1\" }\n[weak_form]\ncells.all = "
                               "\"dot(grad(u), grad(test(u)))\"\n");
  NearNullSpace space = make_near_null_space(scalar.d, true);
  EXPECT_EQ(space.components, 1);
  EXPECT_EQ(space.num_vectors, 0);
  EXPECT_TRUE(space.values.empty() && space.functions.empty());
  const DiscreteProblem elastic(elastic_text("tetrahedron", "P1"));
  space = make_near_null_space(elastic.d, false);
  EXPECT_EQ(space.components, 3);
  EXPECT_EQ(space.num_vectors, 0);
}

TEST(NearNullSpace, FieldsAreFunctionsOfTheirOwn) {
  const DiscreteProblem p(
      box_text("triangle") +
      "[fields]\nT = { element = \"P2\" }\nu = { element = \"P1\", shape = \"vector\" "
      "}\n[weak_form]\ncells.all = \"dot(grad(T), grad(test(T))) + dot(u, test(u)) + "
      "T*div(test(u))\"\n");
  const NearNullSpace space = make_near_null_space(p.d, true);
  EXPECT_EQ(space.components, 1);
  ASSERT_EQ(space.functions.size(), std::size_t(p.d.num_owned));
  for (std::size_t f = 0; f < 2; ++f) {
    const int components = p.d.form.fields[f].components();
    for (std::int64_t i = 0; i < p.d.map_of_field(int(f)).num_local * components; ++i)
      ASSERT_EQ(space.functions[p.d.field_offset[f] + i],
                p.d.field_offset[f] == 0 ? i % components
                                         : p.d.form.fields[0].components() + i % components);
  }
}

} // namespace
} // namespace weft
