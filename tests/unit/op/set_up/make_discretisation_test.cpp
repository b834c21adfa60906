// What a case becomes on a mesh: dofs, tables, constraints, degrees; and what is refused.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/discrete_problem_error.h"
#include "support/joint_mesh.h"

using namespace weft;

namespace {

const std::string poisson = "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                            "cells.all = \"inner(grad(u), grad(test(u)))\"\n";

int degree_of(const std::string &cell, int geometry, int p, const std::string &integrand) {
  const DiscreteProblem problem(box_text(cell, geometry) + "[fields]\nu = { element = \"P" +
                                std::to_string(p) + "\" }\n[weak_form]\ncells.all = \"" +
                                integrand + "\"\n");
  return problem.d.cell_degree;
}

} // namespace

TEST(discretisation, dofs_of_several_fields) {
  const DiscreteProblem problem(box_text("tetrahedron") + R"toml(
[fields]
u = { element = "P2", shape = "vector" }
p = { element = "P1" }
T = { element = "P2" }
[auxiliary]
a = { element = "DG0", value = "1 + 2*x" }
b = { element = "P1", value = "y" }
[weak_form]
cells.all = "a*dot(u, test(u)) + b*p*test(p) + T*test(T)"
)toml");
  const Discretisation &d = problem.d;
  ASSERT_EQ(d.maps.size(), 3u); // orders 0, 1, 2
  const auto n1 = d.map_of_field(1).num_local, n2 = d.map_of_field(0).num_local;
  EXPECT_EQ(d.field_map[0], d.field_map[2]);
  EXPECT_EQ(d.field_offset[1], 3 * n2);
  EXPECT_EQ(d.field_offset[2], 3 * n2 + n1);
  EXPECT_EQ(d.num_owned, 4 * n2 + n1);
  ASSERT_EQ(d.auxiliary.size(), 2u);
  EXPECT_EQ(static_cast<std::int64_t>(d.auxiliary[0].values.size()), problem.mesh.num_cells());
  // DG0 takes the value at the cell's centroid.
  const CellSet &cells = problem.mesh.sets[0];
  double x = 0;
  for (int v = 0; v < 4; ++v)
    x += problem.mesh.coordinates[3 * cells.nodes[v]] / 4;
  EXPECT_NEAR(d.auxiliary[0].values[0], 1 + 2 * x, 1e-14);
  const auto &at = d.maps[d.auxiliary[1].map].coordinates;
  for (std::size_t n = 0; n < d.auxiliary[1].values.size(); ++n)
    EXPECT_EQ(d.auxiliary[1].values[n], at[3 * n + 1]);
}

TEST(discretisation, quadrature_degrees) {
  const std::string laplace = "inner(grad(u), grad(test(u)))";
  EXPECT_LE(degree_of("tetrahedron", 1, 1, laplace), 1);
  EXPECT_EQ(degree_of("tetrahedron", 1, 2, laplace), 2);
  EXPECT_EQ(degree_of("tetrahedron", 1, 2, "x*" + laplace), 3);
  EXPECT_EQ(degree_of("tetrahedron", 1, 4, laplace), 6);
  EXPECT_EQ(degree_of("hexahedron", 1, 2, laplace), 4); // in each direction
  EXPECT_EQ(degree_of("triangle", 1, 2, "u*test(u)"), 4);
  EXPECT_EQ(degree_of("hexahedron", 1, 8, "exp(x)*" + laplace), 19);
  EXPECT_EQ(degree_of("hexahedron", 1, 8, "exp(x)*test(u)"), 16); // a load: p + 1 + (p - 1)
  EXPECT_EQ(degree_of("hexahedron", 1, 2, "exp(x)*test(u)"), 5);
  // Curved: the mapping or the coefficient, whichever is more.
  EXPECT_EQ(degree_of("triangle", 2, 2, laplace), 4);
  EXPECT_EQ(degree_of("triangle", 2, 2, "x*" + laplace), 4);
  EXPECT_EQ(degree_of("hexahedron", 2, 4, "x*y*" + laplace), 10);
  EXPECT_EQ(degree_of("hexahedron", 2, 4, "x*y*z*" + laplace), 11);
  EXPECT_EQ(degree_of("triangle", 2, 2, "u*test(u)"), 6);
  EXPECT_LE(degree_of("triangle", 1, 1, "u^30*test(u)"), 8);
  for (const char *power : {"u^30", "x^100000000", "x^1e30", "((x^16)^16)^16",
                            "(((((((x^16)^16)^16)^16)^16)^16)^16)^16"})
    EXPECT_EQ(degree_of("triangle", 1, 1, power + std::string("*test(u)")), 8) << power;
  const DiscreteProblem fixed(box_text("triangle") + poisson, {}, 7);
  EXPECT_EQ(fixed.d.cell_degree, 7);
}

TEST(discretisation, quadrature_that_the_case_says) {
  const auto text = [](const std::string &cell, const std::string &quadrature) {
    return box_text(cell) +
           "[fields]\nu = { element = \"P3\" }\n[weak_form]\ncells.all = "
           "\"u*test(u)\"\nfacets.x0 = \"u*test(u)\"\nquadrature = " +
           quadrature + "\n";
  };
  const DiscreteProblem degree(text("triangle", "9"));
  EXPECT_EQ(degree.d.cell_degree, 9);
  EXPECT_EQ(degree.d.facet_degree, 9);
  const DiscreteProblem nodes(text("quadrilateral", "\"gauss_lobatto\""));
  EXPECT_EQ(nodes.d.cell_degree, 5);
  EXPECT_EQ(nodes.d.facet_degree, 5);
  EXPECT_EQ(nodes.d.line_points, LinePoints::gauss_lobatto);
  try {
    const DiscreteProblem refused(text("triangle", "\"gauss_lobatto\""));
    FAIL() << "triangles have no Gauss-Lobatto points";
  } catch (const Error &e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_TRUE(contains(e.what(), "[weak_form] quadrature")) << e.what();
    EXPECT_TRUE(contains(e.what(), "triangle")) << e.what();
  }
}

TEST(discretisation, later_constraints_win_and_components_are_apart) {
  const DiscreteProblem problem(box_text("triangle", 1, 0) + R"toml(
[fields]
u = { element = "P2", shape = "vector" }
[weak_form]
cells.all = "dot(u, test(u))"
[dirichlet]
x0 = { u = ["y", 5] }
y0 = { "u[0]" = 3 }
)toml");
  const Constraints &constraints = problem.d.constraints;
  EXPECT_TRUE(std::is_sorted(constraints.dofs.begin(), constraints.dofs.end()));
  std::map<std::int32_t, double> values;
  for (std::size_t i = 0; i < constraints.dofs.size(); ++i)
    values[constraints.dofs[i]] = constraints.values[i];
  EXPECT_EQ(values.size(), constraints.dofs.size());
  const NodeMap &map = problem.d.map_of_field(0);
  for (std::int64_t n = 0; n < map.num_local; ++n) {
    const double x = map.coordinates[2 * n], y = map.coordinates[2 * n + 1];
    const auto first = values.find(2 * n), second = values.find(2 * n + 1);
    ASSERT_EQ(first != values.end(), x == 0 || y == 0);
    ASSERT_EQ(second != values.end(), x == 0);
    if (first != values.end()) {
      EXPECT_NEAR(first->second, y == 0 ? 3 : y, 1e-14);
    }
    if (second != values.end()) {
      EXPECT_EQ(second->second, 5);
    }
  }
}

TEST(discretisation, integrated_facets_are_those_of_the_groups) {
  const DiscreteProblem problem(box_text("tetrahedron") + poisson +
                                "facets.x1 = \"u*test(u)\"\nfacets.z0 = \"test(u)\"\n");
  const Mesh &mesh = problem.mesh;
  const auto &list = problem.d.integrated_facets;
  EXPECT_EQ(list.size(), 2u * 3 * 2 + 2u * 2 * 3); // two triangles a box side
  for (std::size_t i = 1; i < list.size(); ++i) {
    const FacetRef &a = mesh.facets[list[i - 1]].minus, &b = mesh.facets[list[i]].minus;
    EXPECT_LE(std::tuple(a.set, a.facet, a.cell), std::tuple(b.set, b.facet, b.cell));
  }
  const DiscreteProblem all(box_text("tetrahedron") + poisson + "facets.all = \"u*test(u)\"\n");
  EXPECT_EQ(static_cast<std::int64_t>(all.d.integrated_facets.size()),
            all.mesh.num_boundary_facets);
}

TEST(discretisation, interior_facets_are_those_of_the_groups) {
  const CaseFolder folder;
  const std::string text =
      "[mesh]\nfile = \"" + folder.write("joint.msh", joint_mesh_text()) + "\"\n" + poisson;
  const auto num_facets = [](const DiscreteProblem &problem) {
    std::size_t count = 0;
    for (const InteriorGroup &group : problem.d.interior)
      count += group.minus_cells.size();
    return count;
  };
  EXPECT_EQ(num_facets(DiscreteProblem(text + "interior.joint = \"jump(u)*jump(test(u))\"\n")), 1u);
  EXPECT_EQ(num_facets(DiscreteProblem(text + "interior.all = \"jump(u)*jump(test(u))\"\n")), 7u);
  std::string message = message_of(text + "interior.end = \"jump(u)*jump(test(u))\"\n");
  EXPECT_TRUE(contains(message, "inner facets of a group on the boundary")) << message;
  EXPECT_TRUE(contains(message, "write facets.end")) << message;
  message = message_of(text + "facets.joint = \"u*test(u)\"\n");
  EXPECT_TRUE(contains(message, "write interior.joint")) << message;
  message = message_of(text + "interior.left = \"jump(u)*jump(test(u))\"\n");
  EXPECT_TRUE(contains(message, "end, joint")) << message;
}

TEST(discretisation, discontinuous_fields_have_no_prescribed_values) {
  const std::string message =
      message_of(box_text("triangle") + "[fields]\nu = { element = \"DG1\" }\n[weak_form]\n"
                                        "cells.all = \"u*test(u)\"\n[dirichlet]\nx0 = { u = 1 }\n");
  EXPECT_TRUE(contains(message, "a prescribed value of a discontinuous field")) << message;
  EXPECT_TRUE(contains(message, "facets.x0")) << message;
}

TEST(discretisation, cell_sizes) {
  const DiscreteProblem problem(box_text("hexahedron", 1, 0) + poisson);
  EXPECT_NEAR(cell_size(problem.d, 0, 0), std::sqrt(1.0 / 4 + 1.0 / 9 + 1.0 / 4), 1e-14);
}

TEST(discretisation, missing_groups_are_named_with_those_there_are) {
  const std::string box = box_text("triangle");
  for (const std::string &text : {
           box + poisson + "[dirichlet]\nx3 = { u = 0 }\n",
           box + poisson + "facets.x3 = \"test(u)\"\n",
           box + poisson + "facets.x0 = \"h*test(u)\"\n[parameters]\nh = { x0 = 1, x3 = 2 }\n",
       }) {
    const std::string message = message_of(text);
    EXPECT_TRUE(contains(message, "x3")) << message;
    EXPECT_TRUE(contains(message, "x0, x1, y0, y1")) << message;
    EXPECT_TRUE(contains(message, "case.toml:")) << message;
  }
  const std::string message =
      message_of(box + "[fields]\nu = { element = \"P1\" }\n[parameters]\nk = { bax = 1 }\n"
                       "[weak_form]\ncells.all = \"k*u*test(u)\"\n");
  EXPECT_TRUE(contains(message, "did you mean box?")) << message;
}

TEST(discretisation, parameters_without_a_value_somewhere) {
  const std::string message =
      message_of(box_text("triangle") + poisson +
                 "facets.all = \"h*test(u)\"\n[parameters]\nh = { x0 = 1, x1 = 2 }\n");
  EXPECT_TRUE(contains(message, "`h` has no value in facets in y0")) << message;
}

TEST(discretisation, values_of_the_wrong_shape) {
  EXPECT_TRUE(
      contains(message_of(box_text("triangle") + poisson + "[dirichlet]\nx0 = { u = [1, 2] }\n"),
               "vector of 2"));
  EXPECT_TRUE(
      contains(message_of(box_text("triangle") + poisson + "[dirichlet]\nx0 = { \"u[1]\" = 2 }\n"),
               "0 to 0"));
}
