// Where two-point fluxes are consistent: angles between conormals and lines of centres, measured on
// meshes whose angles are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "op/law/mesh/k_orthogonality.h"
#include "support/discrete_problem.h"

namespace weft {
namespace {

// Diffusion by the tensor K on a box.
std::string diffusion(const std::string &box, const std::string &tensor,
                      const std::string &more = "", const std::string &tables = "") {
  return "[mesh]\nbox = { " + box + " }\n[fields]\nq = { element = \"FV\" }\n" +
         "[parameters]\nK = " + tensor +
         "\n[conservation_law]\nflux.q = \"-dot(K, grad(q))\"\nsource.q = 0\n" + more +
         "[time]\nend = 1\nstep = 0.1\n" +
         (tables.empty() ? "[boundary.all]\nouter.q = 0\n" : tables);
}

const std::string plane = "cells = [3, 2], cell = \"quadrilateral\"";
const std::string identity = "\"identity\"";
const std::string along_axes = "\"[[5, 0], [0, 1]]\"";

TEST(KOrthogonality, OfRectangles) {
  for (const std::string &tensor : {identity, along_axes, std::string("\"x*identity\"")}) {
    const DiscreteProblem problem(diffusion(plane, tensor));
    const KOrthogonality k = k_orthogonality(problem.d);
    EXPECT_TRUE(k.is_orthogonal()) << tensor;
    EXPECT_LT(k.largest_angle, 1e-12);
    EXPECT_EQ(k.num_sides, 4 * 6);
    EXPECT_EQ(k.num_negative, 0);
  }
  for (const std::string cell : {"hexahedron", "prism"}) {
    const DiscreteProblem problem(
        diffusion("cells = [2, 1, 1], cell = \"" + cell + "\"", identity));
    EXPECT_EQ(k_orthogonality(problem.d).is_orthogonal(), cell == "hexahedron") << cell;
  }
}

// K = [[2, 1], [1, 2]]: K n of (1, 0) is (2, 1).
TEST(KOrthogonality, OfATensorAcrossTheAxes) {
  const DiscreteProblem problem(diffusion(plane, "\"[[2, 1], [1, 2]]\""));
  const KOrthogonality k = k_orthogonality(problem.d);
  EXPECT_FALSE(k.is_orthogonal());
  EXPECT_NEAR(k.largest_angle, std::atan2(1, 2), 1e-12);
  EXPECT_EQ(k.num_skew, 24);
  EXPECT_EQ(k.num_negative, 0);
  EXPECT_NE(to_string(k, 2).find("at most 26.6 degrees"), std::string::npos) << to_string(k, 2);
  EXPECT_NE(to_string(k, 2).find("24 of 24 sides"), std::string::npos) << to_string(k, 2);
}

// Right triangles: the line from the centroid (1/3, 1/3) to the middle of the long side (1/2, 1/2)
// is along its normal, that to (1/2, 0) is (1, -2)/6 of normal (0, -1).
TEST(KOrthogonality, OfTriangles) {
  const DiscreteProblem problem(diffusion("cells = [2, 2], cell = \"triangle\"", identity));
  const KOrthogonality k = k_orthogonality(problem.d);
  EXPECT_NEAR(k.largest_angle, std::atan2(1, 2), 1e-12);
  EXPECT_EQ(k.num_sides, 3 * 8);
  EXPECT_EQ(k.num_skew, 2 * 8);
}

// Facets whose flux is given, and those through which nothing diffuses, need no line.
TEST(KOrthogonality, BoundariesThatDoNotCount) {
  const auto count = [](const std::string &boundaries, const std::string &box = plane) {
    const DiscreteProblem problem(diffusion(box, identity, "", boundaries));
    return k_orthogonality(problem.d).num_sides;
  };
  EXPECT_EQ(count("[boundary.all]\nflux.q = 1\n"), 24 - 10);
  EXPECT_EQ(count("[boundary.all]\nouter.q = \"q\"\n"), 24 - 10);
  EXPECT_EQ(count("[boundary.all]\nflux.q = 1\n[boundary.x0]\nouter.q = 1\n"), 24 - 10 + 2);
  EXPECT_EQ(count("[boundary.all]\nflux.q = 1\n", plane + ", periodic = [\"x\"]"), 24 - 6);
}

// Whether some side's K n points away from the facet's middle, K = [[10, k], [k, 1]].
bool has_negative(const Mesh &mesh, std::int64_t cell, double k) {
  double x[3][2], centre[2] = {0, 0};
  for (int v = 0; v < 3; ++v)
    for (int d = 0; d < 2; ++d) {
      x[v][d] = mesh.coordinates[2 * mesh.sets[0].nodes[3 * cell + v] + d];
      centre[d] += x[v][d] / 3;
    }
  bool negative = false;
  for (int v = 0; v < 3; ++v) {
    const double *a = x[v], *b = x[(v + 1) % 3];
    const double n[2] = {b[1] - a[1], a[0] - b[0]};
    const double o[2] = {(a[0] + b[0]) / 2 - centre[0], (a[1] + b[1]) / 2 - centre[1]};
    negative = negative || (10 * n[0] + k * n[1]) * o[0] + (k * n[0] + n[1]) * o[1] < 0;
  }
  return negative;
}

// Strong diffusion along a line that the sides of triangles cross slantwise: for right triangles
// with legs along the axes, where |K01| > 2 K11 and one side's K n turns past the other.
TEST(KOrthogonality, NegativeCoefficients) {
  int all = 0;
  for (const double across : {3.0, -3.0}) {
    const DiscreteProblem problem(diffusion("cells = [2, 2], cell = \"triangle\"",
                                            fmt::format("\"[[10, {0}], [{0}, 1]]\"", across),
                                            "diffusion = \"corrected\"\n"));
    const KOrthogonality k = k_orthogonality(problem.d);
    int expected = 0;
    for (std::int64_t c = 0; c < problem.mesh.num_cells(); ++c)
      expected += has_negative(problem.mesh, c, across) ? 1 : 0;
    EXPECT_EQ(k.num_negative, expected);
    EXPECT_EQ(k.first_negative.size(), std::min(expected, 3));
    const bool named = to_string(k, 2).find("two-point coefficients negative in " +
                                            std::to_string(expected)) != std::string::npos;
    EXPECT_EQ(named, expected > 0) << to_string(k, 2);
    all += expected;
  }
  EXPECT_GT(all, 0);
  EXPECT_EQ(negative_cells({.num_negative = 1, .first_negative = {{0.5, 0.25, 0}}}, 2),
            "1 cell, first at (0.5, 0.25)");
}

TEST(KOrthogonality, WhatIsNotKnownBefore) {
  // A number times the identity has the directions of normals, whatever it depends on.
  EXPECT_TRUE(
      k_orthogonality(DiscreteProblem(diffusion(plane, "\"t*identity\"")).d).is_orthogonal());
  const DiscreteProblem in_time(diffusion(plane, "\"[[1 + t, 0], [0, 1]]\""));
  EXPECT_FALSE(k_orthogonality(in_time.d).is_known);
  EXPECT_FALSE(in_time.d.law->two_point);
}

// Fibres as an auxiliary field, constant in each cell: K = 1 + 8 f f along the axes and across.
TEST(KOrthogonality, OfAnAuxiliaryField) {
  for (const auto &[fibre, orthogonal] :
       {std::pair("[1, 0]", true), std::pair("[where(x < 0.5, 0, 1), where(x < 0.5, 1, 0)]", true),
        std::pair("[0.8, 0.6]", false)}) {
    std::string text = diffusion(plane, "\"1\"", "", "");
    text.replace(text.find("dot(K, grad(q))"), 15, "grad(q) - 8*dot(f, grad(q))*f");
    text += std::string("[auxiliary]\nf = { shape = \"vector\", value = \"") + fibre + "\" }\n";
    const DiscreteProblem problem(text);
    EXPECT_EQ(k_orthogonality(problem.d).is_orthogonal(), orthogonal) << fibre;
    EXPECT_EQ(problem.d.law->two_point, orthogonal) << fibre;
  }
}

TEST(KOrthogonality, DecidesTheFlux) {
  const auto two_point = [](const std::string &box, const std::string &setting) {
    return DiscreteProblem(diffusion(box, identity, setting)).d.law->two_point;
  };
  const std::string triangles = "cells = [2, 2], cell = \"triangle\"";
  EXPECT_TRUE(two_point(plane, ""));
  EXPECT_TRUE(two_point(plane, "diffusion = \"auto\"\n"));
  EXPECT_FALSE(two_point(plane, "diffusion = \"corrected\"\n"));
  EXPECT_FALSE(two_point(triangles, ""));
  EXPECT_TRUE(two_point(triangles, "diffusion = \"two_point\"\n"));
}

} // namespace
} // namespace weft
