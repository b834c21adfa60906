// Problems on meshes of arrays: groups, cells of order 2 in VTK's order, and what is no mesh.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/problem_testing.h"
#include "weft/weft.h"

namespace weft {
namespace {

MeshArrays square() {
  // Two triangles and a quadrilateral; the left side and the bottom have names.
  //   3---4---5
  //   | \ |   |
  //   0---1---2
  return {.dimension = 2,
          .points = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1},
          .cells = {{5, 3, {0, 1, 3, 1, 4, 3}}, {9, 4, {1, 2, 5, 4}}, {3, 2, {3, 0, 0, 1, 1, 2}}},
          .groups = {{"left", {3}}, {"bottom", {4, 5}}, {"soft", {0, 1}}, {"hard", {2}}}};
}

const std::string on_square = R"toml(
[parameters]
k = { soft = 1.0, hard = 4.0 }
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u)))"
facets.bottom = "-0*test(u)"
[dirichlet]
left = { u = 0 }
[functionals]
area = { integral = "1" }
soft = { integral = "k" }
bottom = { integral = "1", facets = "bottom" }
)toml";

TEST(MeshOfArrays, HasItsGroups) {
  Problem problem(CaseText{.text = on_square, .mesh = square()}, test::one_thread());
  EXPECT_EQ(problem.num_dofs(), 6u);
  EXPECT_NEAR(problem.functional("area"), 2, 1e-14);
  EXPECT_NEAR(problem.functional("soft"), 1 + 4, 1e-14);
  EXPECT_NEAR(problem.functional("bottom"), 2, 1e-14);
  EXPECT_EQ(problem.constrained_dofs().size(), 2u);
  // What comes out goes in again.
  const MeshView view = problem.mesh();
  MeshArrays again{.dimension = view.dimension,
                   .points = {view.points.begin(), view.points.end()},
                   .cells = view.cells,
                   .groups = {}};
  const std::string text = "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                           "cells.all = \"inner(grad(u), grad(test(u))) - test(u)\"\n"
                           "[dirichlet]\nall = { u = 0 }\n"
                           "[functionals]\narea = { integral = \"1\" }\n";
  Problem second(CaseText{.text = text, .mesh = again}, test::one_thread());
  EXPECT_NEAR(second.functional("area"), 2, 1e-14);
}

// Cells of order 2 in VTK's order: their volume is right where they are curved.
TEST(MeshOfArrays, OfOrderTwo) {
  for (const char *cell : {"triangle", "quadrilateral", "tetrahedron", "hexahedron", "prism"}) {
    const bool flat = std::string(cell) == "triangle" || std::string(cell) == "quadrilateral";
    const std::string text = std::string("[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                                         "cells.all = \"inner(grad(u), grad(test(u))) - test(u)\"\n"
                                         "[dirichlet]\nall = { u = 0 }\n"
                                         "[functionals]\nvolume = { integral = \"1\" }\n"
                                         "moment = { integral = \"x**2*y\" }\n");
    Problem box(
        CaseText{.text = text + "[mesh]\norder = 2\nbox = { size = " +
                         (flat ? "[1, 1], cells = [2, 2]" : "[1, 1, 1], cells = [2, 2, 1]") +
                         ", cell = \"" + cell + "\", distort = 0.2 }\n"},
        test::one_thread());
    const MeshView view = box.mesh();
    MeshArrays bent{.dimension = view.dimension,
                    .points = {view.points.begin(), view.points.end()},
                    .cells = view.cells,
                    .groups = {}};
    Problem same(CaseText{.text = text + "[mesh]\norder = 2\n", .mesh = bent}, test::one_thread());
    EXPECT_NEAR(same.functional("volume"), 1, 1e-13) << cell;
    EXPECT_NEAR(same.functional("moment"), 1.0 / 6, 1e-13) << cell;
  }
}

TEST(MeshOfArrays, RefusesWhatIsNone) {
  const auto text_of = [](const std::function<void(MeshArrays &)> &spoil) {
    MeshArrays mesh = square();
    spoil(mesh);
    return test::error_text(
        [&] { Problem(CaseText{.text = on_square, .mesh = mesh}, test::one_thread()); },
        ErrorKind::input);
  };
  const auto has = [](const std::string &text, const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(text_of([](MeshArrays &m) { m.cells[0].nodes[2] = 6; }), "0 to 5");
  has(text_of([](MeshArrays &m) { m.cells[0].nodes.pop_back(); }), "5 nodes");
  has(text_of([](MeshArrays &m) { m.cells[1].vtk_type = 7; }), "type 7");
  has(text_of([](MeshArrays &m) { m.points[3] = INFINITY; }), "point 1");
  has(text_of([](MeshArrays &m) { m.points.pop_back(); }), "11 coordinates");
  has(text_of([](MeshArrays &m) { m.dimension = 1; }), "2 or 3");
  has(text_of([](MeshArrays &m) { m.groups[0].cells = {6}; }), "left");
  has(text_of([](MeshArrays &m) { m.groups[2].cells = {0, 3}; }), "several dimensions");
  has(text_of([](MeshArrays &m) { m.cells.clear(); }), "left");
}

} // namespace
} // namespace weft
