// Integrals over facets between two cells on the device WEFT_TEST_DEVICE against the reference
// loops: residual, product, diagonal, matrix.
#include <gtest/gtest.h>

#include "support/device_operators.h"
#include "support/mixed_mesh.h"

namespace weft {
namespace {

// Everything that a side may have: values, gradients, known fields, sizes, a normal, a place.
std::string scalar_form(const std::string &element) {
  return "[parameters]\nk = \"1 + x*y\"\n[fields]\nu = { element = \"" + element +
         "\" }\n[auxiliary]\na = { element = \"P1\", value = \"1 + x\" }\nb = { element = "
         "\"DG0\", value = \"2 - y + x^2\" }\n" +
         R"TOML([weak_form]
cells.all = "k*inner(grad(u), grad(test(u))) + u*test(u)"
facets.x1 = "u*test(u)"
interior.all = "(1 + avg(u)^2)*avg(cell_size)*dot(jump(a*grad(u)), n)*dot(jump(grad(test(u))), n) + plus(u)*minus(u)*jump(b)*jump(k*test(u)) + k*minus(b)*dot(plus(grad(u)), n)*plus(test(u))"
[dirichlet]
x0 = { u = "1 + y" }
)TOML";
}

std::string vector_form(const std::string &element) {
  return "[fields]\nu = { element = \"" + element + "\", shape = \"vector\" }\n" +
         R"TOML([weak_form]
cells.all = "2*inner(sym(grad(u)), sym(grad(test(u)))) + div(u)*div(test(u))"
interior.all = "avg(cell_size)*inner(jump(grad(u)), jump(grad(test(u)))) + dot(avg(u), n)*dot(avg(test(u)), n)"
[dirichlet]
x0 = { "u[0]" = 0.5 }
)TOML";
}

struct FacetCase {
  std::string cell;
  int order = 1;
  bool is_vector = false, is_discontinuous = false;

  std::string element() const { return (is_discontinuous ? "DG" : "P") + std::to_string(order); }
};

class InteriorFacets : public testing::TestWithParam<FacetCase> {};

// Straight cells for order 1, curved ones above.
TEST_P(InteriorFacets, AgreeWithTheReference) {
  const FacetCase c = GetParam();
  const std::string form = c.is_vector ? vector_form(c.element()) : scalar_form(c.element());
  const DiscreteProblem problem(
      box_text(c.cell, c.order == 1 ? 1 : 2, 0.2, "[2, 2, 2]") +
          (c.is_discontinuous ? form.substr(0, form.find("[dirichlet]")) : form),
      c.order == 1 ? std::function<void(double *)>{} : bend, c.order + 1);
  expect_kinds(problem.d, device_settings());
  expect_matrix(problem.d, {});
}

// All cells and orders; both shapes and kinds of elements, each with WEFT_TEST_ALL.
std::vector<FacetCase> facet_cases() {
  if (!std::getenv("WEFT_TEST_ALL"))
    return {{"triangle", 1, true, false},     {"triangle", 2, false, true},
            {"triangle", 3, false, false},    {"quadrilateral", 1, true, false},
            {"quadrilateral", 2, true, true}, {"tetrahedron", 1, false, true},
            {"tetrahedron", 2, true, false},  {"tetrahedron", 3, false, false},
            {"pyramid", 2, true, false},      {"prism", 1, true, true},
            {"prism", 2, false, false},       {"hexahedron", 1, false, false},
            {"hexahedron", 2, false, true},   {"triangle", 0, true, true}};
  std::vector<FacetCase> cases;
  for (const std::string cell : all_cells)
    for (int order = 0; order <= std::min(3, highest_order(cell)); ++order)
      for (const bool is_vector : {false, true})
        for (const bool is_discontinuous : {false, true})
          if (is_discontinuous ? cell != "pyramid" || order == 0 : order > 0)
            cases.push_back({cell, order, is_vector, is_discontinuous});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cells, InteriorFacets, testing::ValuesIn(facet_cases()),
                         [](const auto &info) {
                           return info.param.cell + "_" + info.param.element() +
                                  (info.param.is_vector ? "_vector" : "_scalar");
                         });

TEST(InteriorFacetKernels, TakeParametersOfBothSidesAndCellsOfTwoTypes) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_text(21));
  const DiscreteProblem problem("[mesh]\nfile = \"" + file + "\"\n" + R"TOML(
[parameters]
k = { soft = 1.5, hard = 40.0 }
m = { soft = "1 + x", hard = 3.0 }
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u)))"
interior.all = "plus(k)*dot(jump(k*grad(u)), n)*dot(jump(m*grad(test(u))), n)*avg(cell_size)"
)TOML");
  ASSERT_EQ(problem.mesh.sets.size(), 2u);
  expect_kinds(problem.d, device_settings());
  expect_matrix(problem.d, {.blocks = true, .leaves_per_block = 1});
  expect_matrix(problem.d, {.format = MatrixFormat::csr, .blocks = false});
}

TEST(InteriorFacetKernels, InSinglePrecisionAndWithoutLanes) {
  const DiscreteProblem problem(box_text("tetrahedron") + scalar_form("P1"), {}, 2);
  expect_kinds(problem.d, device_settings({}, Precision::f32));
  OperatorSettings settings = device_settings();
  settings.lanes = 1;
  settings.strategy = Strategy::cell;
  expect_kinds(problem.d, settings);
}

TEST(InteriorFacetKernels, OfSeveralFields) {
  const DiscreteProblem problem(box_text("triangle") + R"TOML([fields]
v = { element = "P2", shape = "vector" }
p = { element = "P1" }
[weak_form]
cells.all = "inner(grad(v), grad(test(v))) - p*div(test(v)) + div(v)*test(p) + p*test(p)"
interior.all = "avg(p)*dot(jump(grad(v)[0]), n)*plus(test(v)[0]) + avg(cell_size)^3*dot(jump(grad(p)), n)*dot(jump(grad(test(p))), n)"
)TOML");
  expect_kinds(problem.d, device_settings());
  expect_matrix(problem.d, {});
}

TEST(InteriorFacetKernels, WithTimeDerivatives) {
  const DiscreteProblem problem(box_text("quadrilateral") + R"TOML([time]
start = 0.4
end = 1
step = 0.1
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "dt(u)*test(u)"
interior.all = "avg(u)*avg(dt(u))*jump(grad(test(u))[0]) + t*avg(u*test(u))"
)TOML");
  expect_kinds(problem.d, device_settings());
}

// Cells and facets one direction at a time, where cells have discontinuous elements too.
TEST(InteriorFacetKernels, BesideSumsByLines) {
  const DiscreteProblem problem(box_text("quadrilateral") + R"TOML([fields]
u = { element = "DG3" }
w = { element = "P2" }
[weak_form]
cells.all = "(1 + w^2)*inner(grad(u), grad(test(u))) + u*w*test(w)"
facets.all = "u*test(u) + dot(grad(u), n)*w*test(w)"
interior.all = "jump(u)*jump(w*test(u))"
)TOML");
  OperatorSettings settings = device_settings();
  settings.sums = Summation::lines;
  expect_kinds(problem.d, settings);
}

// Cells that meet themselves, and each other on several facets.
TEST(InteriorFacetKernels, OfPeriodicSides) {
  const DiscreteProblem problem(R"TOML([mesh]
box = { cells = [2, 1], cell = "quadrilateral", periodic = ["x", "y"] }
[fields]
u = { element = "P1" }
[weak_form]
interior.all = "dot(jump(grad(u)), n)*dot(jump(grad(test(u))), n) + avg(u)*avg(test(u))"
)TOML");
  std::size_t facets = 0;
  for (const InteriorGroup &group : problem.d.interior)
    facets += group.minus_cells.size();
  EXPECT_EQ(facets, 4u);
  expect_kinds(problem.d, device_settings());
  expect_matrix(problem.d, {.blocks = false});
}

TEST(InteriorFacetKernels, WithoutIntegralsOverCells) {
  const DiscreteProblem problem(box_text("prism") + R"TOML([fields]
u = { element = "P1" }
[weak_form]
interior.all = "avg(u)*avg(test(u))"
)TOML");
  expect_kinds(problem.d, device_settings());
  expect_matrix(problem.d, {});
}

} // namespace
} // namespace weft
