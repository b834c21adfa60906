// Edges and points with names: which they are, and integrals over them against exact values.
#include "op/problem/named_parts.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "base/error.h"
#include "op/evaluate/field_values.h"
#include "op/levels/low_order_mesh.h"
#include "op/reference/reference.h"
#include "support/discrete_problem.h"
#include "support/parts_of_case.h"

namespace weft {
namespace {

const std::string rail_box = R"TOML([mesh]
box = { origin = [1, 0, 0], size = [2, 1, 1], cells = [4, 2, 2], cell = "tetrahedron" }
groups.rail = { edges = "y < 1e-9 and z < 1e-9" }
groups.post = { edges = "x < 1 + 1e-9 and y < 1e-9" }
groups.tip = { point = [3, 1, 1] }
[fields]
u = { element = "P2", shape = "vector" }
)TOML";

double sum_of(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// r(u) tested with v: sum of v_i r_i.
double tested(const std::vector<double> &residual, const std::vector<double> &v) {
  return std::inner_product(residual.begin(), residual.end(), v.begin(), 0.0);
}

// [dof] of a vector field in three dimensions: component k of the function.
template <typename Function>
std::vector<double> nodal(const Discretisation &d, const Function &function) {
  const NodeMap &map = d.map_of_field(0);
  std::vector<double> values(d.num_local);
  for (std::int64_t node = 0; node < map.num_local; ++node)
    for (int k = 0; k < 3; ++k)
      values[node * 3 + k] = function(&map.coordinates[node * 3], k);
  return values;
}

std::string error_of_discretising(const std::string &text) {
  try {
    const DiscreteProblem problem(text);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(NamedPartsOfMesh, AreEachEdgeOnce) {
  const DiscreteProblem p(rail_box + "[weak_form]\nedges.rail = \"u[0]*test(u[0])\"\n"
                                     "edges.post = \"u[0]*test(u[0])\"\n");
  std::size_t count = 0;
  for (const FacetGroup &group : p.d.integrated_edges.groups)
    count += group.cells.size();
  EXPECT_EQ(count, 4u + 2u);
  EXPECT_EQ(p.d.integrated_edges.classes.size(), 2u);
}

TEST(NamedPartsOfMesh, LoadsAlongCurvesAreExact) {
  // q = x along the rail of length 2 from x = 1: in all 4, its moment about x = 0 26/3.
  const DiscreteProblem p(rail_box + "[weak_form]\nedges.rail = \"-x*test(u[2])\"\n"
                                     "cells.all = \"inner(grad(u), grad(test(u)))\"\n");
  const std::vector<double> zero(p.d.num_local, 0.0);
  const std::vector<double> r = reference::residual(p.d, zero);
  EXPECT_NEAR(sum_of(r), -4, 1e-13);
  EXPECT_NEAR(tested(r, nodal(p.d, [](const double *x, int k) { return k == 2 ? x[0] : 0; })),
              -26. / 3, 1e-13);
}

TEST(NamedPartsOfMesh, SpringsAlongCurvesAreExact) {
  // u[1] = x^2: u^2 v with v = x is the integral of x^5 from 1 to 3.
  const DiscreteProblem p(rail_box + "[weak_form]\nedges.rail = \"u[1]^2*test(u[1])\"\n");
  const auto u = nodal(p.d, [](const double *x, int k) { return k == 1 ? x[0] * x[0] : 7; });
  const auto v = nodal(p.d, [](const double *x, int k) { return k == 1 ? x[0] : 0; });
  EXPECT_NEAR(tested(reference::residual(p.d, u), v), (std::pow(3, 6) - 1) / 6, 1e-11);
  EXPECT_NEAR(tested(reference::apply(p.d, u, v), v), 2 * (std::pow(3, 5) - 1) / 5, 1e-11);
}

TEST(NamedPartsOfMesh, ForcesAtPointsAreAddedUp) {
  const DiscreteProblem p(rail_box + "[parameters]\nF = { tip = 5 }\n[weak_form]\n"
                                     "points.tip = \"-F*x*test(u[0]) + u[2]*test(u[2])\"\n");
  const auto u = nodal(p.d, [](const double *x, int k) { return k + x[1]; });
  const std::vector<double> r = reference::residual(p.d, u);
  EXPECT_NEAR(tested(r, nodal(p.d, [](const double *, int k) { return k == 0 ? 1. : 0.; })), -15,
              1e-13);
  EXPECT_NEAR(tested(r, nodal(p.d, [](const double *, int k) { return k == 2 ? 1. : 0.; })), 3,
              1e-13);
  EXPECT_NEAR(sum_of(r), -12, 1e-13);
}

// Half a turn of a bent rail: an arc is integrated to the order of the geometry.
TEST(NamedPartsOfMesh, HaveTheLengthOfCurvedEdges) {
  double before = 0;
  for (const int cells : {4, 8}) {
    const std::string text =
        "[mesh]\nbox = { size = [1, 1, 1], cells = [" + std::to_string(cells) +
        ", 1, 1], cell = \"hexahedron\" }\norder = 2\n"
        "groups.rail = { edges = \"y < 1e-9 and z < 1e-9\" }\n"
        "[fields]\nu = { element = \"P2\" }\n[weak_form]\ncells.all = \"u*test(u)\"\n"
        "[functionals]\nlength = { integral = \"1\", edges = \"rail\" }\n"
        "mean = { average = \"y\", edges = \"rail\" }\n";
    const DiscreteProblem p(text, [](double *x) {
      const double radius = 1 + x[1], angle = M_PI * x[0];
      x[0] = -radius * std::cos(angle);
      x[1] = radius * std::sin(angle);
    });
    const std::vector<double> zero(p.d.num_local, 0.0);
    const auto values = functionals(p.c, p.d, zero);
    EXPECT_NEAR(values[1].values[0], 2 / M_PI, 2e-3);
    const double error = std::abs(values[0].values[0] - M_PI);
    EXPECT_LT(error, 1e-3);
    if (cells == 8) {
      EXPECT_GT(std::log2(before / error), 3.5);
    }
    before = error;
  }
}

TEST(NamedPartsOfMesh, AreDividedAtNodes) {
  for (const std::string cell : {"quadrilateral", "hexahedron"}) {
    const bool flat = is_flat(cell);
    const DiscreteProblem p(
        box_text(cell) +
        (flat ? "groups.tip = { point = [1, 1] }\n"
              : "groups.tip = { point = [1, 1, 1] }\n"
                "groups.rail = { edges = \"y < 1e-9 and z < 1e-9\" }\n") +
        "[fields]\nu = { element = \"P4\" }\n[weak_form]\ncells.all = \"u*test(u)\"\n");
    const Mesh divided = make_low_order_mesh(p.mesh, p.d.map_of_field(0)).mesh;
    ASSERT_EQ(divided.point_groups.at("tip").size(), 1u);
    EXPECT_EQ(divided.coordinates[divided.point_groups.at("tip")[0] * divided.dim], 1);
    if (flat)
      continue;
    EXPECT_EQ(divided.edge_groups.at("rail").size(), 2u * 4u);
    std::size_t found = 0; // each is an edge of a cell
    for (const FacetGroup &group :
         find_named_parts(divided, Domain::edges, {"rail"}, false, "").groups)
      found += group.cells.size();
    EXPECT_EQ(found, 2u * 4u);
  }
}

TEST(NamedPartsOfMesh, AreOneRanksInFunctionals) {
  const std::string text = rail_box + R"TOML([weak_form]
cells.all = "inner(grad(u), grad(test(u)))"
edges.rail = "-test(u[2])"
points.tip = "-2*test(u[1])"
[dirichlet]
post = { u = [0, 0, 0] }
[functionals]
moment = { integral = "x*u[0]", edges = "rail" }
value = { point = "tip", value = "u" }
)TOML";
  const auto of_place = [](const Discretisation &d) {
    return nodal(d, [](const double *x, int k) { return k == 0 ? x[0] : x[1] + k; });
  };
  for (const int size : {2, 3})
    on_parts_of(text, size, [&](const Case &c, const Discretisation &d) {
      const auto values = functionals(c, d, of_place(d));
      EXPECT_NEAR(values[0].values[0], 26. / 3, 1e-12);
      EXPECT_NEAR(values[1].values[0], 3, 1e-12);
      EXPECT_NEAR(values[1].values[2], 3, 1e-12);
      // Loads on the nodes of all ranks, but for a twelfth on a node whose values are prescribed.
      const std::vector<double> r = reference::residual(d, std::vector<double>(d.num_local, 0.0));
      double own = 0;
      for (std::int64_t dof = 0; dof < d.num_owned; ++dof)
        own += r[dof];
      EXPECT_NEAR(sum(d.ranks, own), -4 + 1. / 12, 1e-12);
      const auto prescribed = static_cast<double>(d.constraints.dofs.size());
      EXPECT_EQ(sum(d.ranks, prescribed), 3 * 5);
    });
}

TEST(NamedPartsOfMesh, SayWhatTheyDoNotDo) {
  const auto error = [](const std::string &weak_form) {
    return error_of_discretising(rail_box + "[weak_form]\n" + weak_form);
  };
  EXPECT_TRUE(contains(error("edges.rail = \"dot(grad(u[0]), test(u))\""),
                       "a gradient on an edge or at a point"));
  EXPECT_TRUE(contains(error("points.tip = \"div(test(u))\""), "a gradient on an edge"));
  EXPECT_TRUE(contains(error("edges.rail = \"dot(n, test(u))\""), "normal n"));
  EXPECT_TRUE(contains(error("edges.rail = \"cell_size*test(u[0])\""), "cell_size on an edge"));
  EXPECT_TRUE(contains(error("edges.rial = \"test(u[0])\""), "did you mean rail"));
  EXPECT_TRUE(contains(error("points.rail = \"test(u[0])\""), "no group of points"));
  EXPECT_TRUE(contains(error("edges.all = \"test(u[0])\""), "all edges"));
  EXPECT_TRUE(contains(error("cells.all = \"k*inner(u, test(u))\"\nedges.rail = \"k*test(u[0])\"\n"
                             "[parameters]\nk = { box = 1 }"),
                       "`k` differs between regions"));
  EXPECT_TRUE(contains(error("edges.rail = \"a*test(u[0])\"\n[auxiliary]\na = { value = 1 }"),
                       "`a` on an edge"));
  EXPECT_TRUE(contains(error_of_discretising("[mesh]\nbox = { cells = [2, 2] }\n[fields]\nu = {}\n"
                                             "[weak_form]\nedges.x0 = \"u*test(u)\"\n"),
                       "in two dimensions edges are facets"));
}

} // namespace
} // namespace weft
