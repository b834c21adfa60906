// Second derivatives of fields and of test functions on the device WEFT_TEST_DEVICE against the
// reference loops: in cells and on facets of all types, straight and curved, in every strategy.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "op/assembly/element_matrices.h"
#include "op/reference/element_matrix.h"
#include "support/device_operators.h"
#include "support/mixed_mesh.h"

namespace weft {
namespace {

std::string fields_of(const std::string &element, const std::string &more = "") {
  return "[parameters]\nk = \"1 + x*y\"\n[fields]\nu = { element = \"" + element + "\"" + more +
         " }\n[auxiliary]\na = { element = \"P2\", value = \"1 + x^2 - x*y\" }\n";
}

// Products of second derivatives with each other, with gradients and with values.
const char *const scalar_cells = R"TOML([weak_form]
cells.all = """(k + u^2)*inner(grad(grad(u)), grad(grad(test(u)))) + inner(grad(u), grad(test(u)))
  + x*div(grad(u))*(test(u) + grad(test(u))[0]) + (u + grad(u)[1])*div(grad(test(u)))
  + div(grad(a))*(u + 1)*test(u) - grad(grad(test(u)))[0, 1]"""
facets.x1 = "dot(dot(grad(grad(u)), n), n)*dot(grad(test(u)), n) + u^2*div(grad(test(u))) + u*test(u)"
)TOML";

// Of the many nodes of cells in space, so that the texts are compiled in seconds.
const char *const short_form = R"TOML([weak_form]
cells.all = """inner(grad(grad(u)), grad(grad(test(u)))) + u*div(grad(u))*grad(test(u))[0]
  - u*grad(grad(test(u)))[0, 1]"""
interior.all = "-dot(dot(avg(grad(grad(u))), n), n)*dot(jump(grad(test(u))), n) + jump(div(grad(test(u))))*avg(u)"
)TOML";

const char *const vector_cells = R"TOML([weak_form]
cells.all = """inner(grad(div(u)), grad(div(test(u)))) + inner(grad(u), grad(test(u)))
  - dot(div(grad(u)), dot(grad(test(u)), X)) + dot(div(grad(test(u))), u)"""
)TOML";

const char *const interior = R"TOML(interior.all = """
  -dot(dot(avg(k*grad(grad(u))), n), n)*dot(jump(grad(test(u))), n) + plus(u)*minus(u)*avg(test(u))
  - dot(dot(avg(grad(grad(test(u)))), n), n)*dot(jump(grad(u)), n)
  + avg(cell_size)*jump(div(grad(u)))*jump(div(grad(test(u))))"""
)TOML";

struct SecondCase {
  std::string cell;
  int order = 2;
  bool curved = false;
  std::string element = "P";

  std::string mesh() const { return box_text(cell, curved ? 2 : 1, 0.2, "[2, 2, 1]"); }
  std::string field() const { return element + std::to_string(order); }
  std::function<void(double *)> deformation() const {
    return curved ? bend : std::function<void(double *)>{};
  }
};

class SecondDerivatives : public testing::TestWithParam<SecondCase> {};

// In cells, on boundary facets and between cells.
TEST_P(SecondDerivatives, AgreeWithTheReference) {
  const SecondCase c = GetParam();
  const std::string form =
      is_flat(c.cell) ? std::string(scalar_cells) + interior : std::string(short_form);
  const DiscreteProblem problem(c.mesh() + fields_of(c.field()) + form, c.deformation(),
                                c.order + 1);
  expect_kinds(problem.d, device_settings(c.curved ? Strategy::block : Strategy::cell));
  expect_matrix(problem.d, {}, 1e-11);
}

// Every type of cell, and every part of the form; more with WEFT_TEST_ALL.
std::vector<SecondCase> second_cases() {
  std::vector<SecondCase> cases = {{"triangle", 3, true},    {"triangle", 2, false, "DG"},
                                   {"quadrilateral", 1},     {"quadrilateral", 2, true},
                                   {"tetrahedron", 2, true}, {"pyramid", 2},
                                   {"prism", 2, true},       {"hexahedron", 2, true}};
  if (std::getenv("WEFT_TEST_ALL"))
    cases.insert(cases.end(), {{"triangle", 2}, {"tetrahedron", 2}, {"hexahedron", 1}});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cells, SecondDerivatives, testing::ValuesIn(second_cases()),
                         [](const auto &info) {
                           return info.param.cell + "_" + info.param.field() +
                                  (info.param.curved ? "_curved" : "");
                         });

TEST(SecondDerivativeKernels, OfVectorsInEveryStrategy) {
  for (const char *cell : {"triangle", "quadrilateral"}) {
    SCOPED_TRACE(cell);
    const DiscreteProblem problem(
        box_text(cell) + fields_of("P2", ", shape = \"vector\"") + vector_cells, {}, 2);
    // A GPU's local memory has no room for these quadrilaterals.
    if (test_device().info().is_cpu || cell == std::string("triangle"))
      expect_kinds(problem.d, device_settings(Strategy::transposed));
    if (cell == std::string("triangle"))
      for (const Strategy strategy : {Strategy::cell, Strategy::block}) {
        SCOPED_TRACE(to_string(strategy));
        expect_kinds(problem.d, device_settings(strategy));
      }
    expect_matrix(problem.d, {.blocks = false}, 1e-11);
  }
}

TEST(SecondDerivativeKernels, OfStraightSimplicesWithStoredGeometryAndInSinglePrecision) {
  const DiscreteProblem problem(box_text("triangle") + fields_of("P3") + scalar_cells, {}, 4);
  OperatorSettings settings = device_settings(Strategy::cell);
  settings.geometry = GeometrySource::stored;
  expect_kinds(problem.d, settings);
  expect_kinds(problem.d, device_settings(Strategy::block, Precision::f32));
}

TEST(SecondDerivativeKernels, OfTimeDerivatives) {
  const DiscreteProblem problem(box_text("quadrilateral") +
                                    R"TOML([time]
end = 1
step = 0.1
[fields]
u = { element = "P2" }
[weak_form]
cells.all = """dt(u)*test(u) + div(grad(dt(u)) + 0.5*dt(dt(grad(u))))*div(grad(test(u)))
  + inner(grad(u), grad(test(u)))"""
)TOML",
                                {}, 4);
  expect_kinds(problem.d, device_settings(Strategy::cell));
}

TEST(SecondDerivativeKernels, OfTwoFieldsOnCellsOfTwoTypes) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_text(21));
  const DiscreteProblem problem("[mesh]\nfile = \"" + file + "\"\n" + R"TOML(
[fields]
u = { element = "P2" }
p = { element = "P1" }
[weak_form]
cells.all = """inner(grad(u), grad(test(u))) + p*div(grad(test(u))) + div(grad(u))*grad(test(p))[0]
  + div(grad(p))*grad(test(u))[1] + p*test(p)"""
interior.all = "avg(div(grad(u)))*dot(jump(grad(test(u))), n) + jump(div(grad(test(u))))*avg(p)"
)TOML");
  expect_kinds(problem.d, device_settings(Strategy::cell));
  expect_matrix(problem.d, {}, 1e-11);
}

// With the load vector behind each matrix.
void expect_element_matrices_of(const Discretisation &d, const MatrixVariant &variant) {
  const FormIntegrals integrals(d);
  const OperatorSettings settings =
      with_choices(device_settings(Strategy::cell), integrals, test_device().info());
  ElementMatrices matrices(test_device(), integrals, settings, 0, variant, true);
  Vector u = make_vector(test_device(), d.num_owned, settings.precision, "u");
  set_vector(test_device(), u, wavy(d.num_owned, 0.3));
  matrices.compute(u, nullptr);
  const std::vector<std::vector<double>> vectors = reference::cell_load_vectors(d, 0);
  const std::vector<std::vector<double>> found = matrices.host();
  std::size_t cell = 0;
  reference::for_each_element_matrix(
      d, wavy(d.num_owned, 0.3), [&](const reference::ElementMatrix &matrix) {
        std::vector<double> expected = matrix.values;
        expected.insert(expected.end(), vectors[cell].begin(), vectors[cell].end());
        ASSERT_LT(difference(found.at(cell), expected), 1e-11) << "cell " << cell;
        ++cell;
      });
  EXPECT_EQ(cell, found.size());
}

TEST(SecondDerivativeKernels, HaveElementMatricesInEveryLoopOrder) {
  const DiscreteProblem problem(box_text("quadrilateral") + R"TOML([fields]
u = { element = "P2" }
[weak_form]
cells.all = """inner(grad(grad(u)), grad(grad(test(u)))) + x*div(grad(u))*grad(test(u))[0]
  + inner(grad(u), grad(test(u))) - x*div(grad(test(u)))"""
)TOML",
                                {}, 4);
  for (const LoopOrder order : {LoopOrder::qss, LoopOrder::sqs, LoopOrder::ssq}) {
    SCOPED_TRACE(to_string(order));
    MatrixVariant variant;
    variant.loop_order = order;
    variant.destination = MatrixDestination::interleaved;
    expect_element_matrices_of(problem.d, variant);
  }
}

void expect_refused(const OperatorSettings &settings, const std::string &what) {
  const DiscreteProblem problem(box_text("quadrilateral") + fields_of("P2") + scalar_cells);
  try {
    const FormOperator op(test_device(), problem.d, settings);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  }
}

TEST(SecondDerivativeKernels, AreRefusedWhereThereAreNoTables) {
  OperatorSettings settings = device_settings(Strategy::cell);
  settings.sums = Summation::lines;
  expect_refused(settings, "sums by lines of a form with second derivatives");
  settings = device_settings(Strategy::cell);
  settings.geometry = GeometrySource::stored;
  expect_refused(settings, "stored geometry of quadrilaterals");
}

} // namespace
} // namespace weft
