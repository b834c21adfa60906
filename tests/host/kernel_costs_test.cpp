// The cost formulas of every kernel against what the kernels do, counted on the host device: each
// kind of operation, each byte, exactly.
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "form/expression/place_condition.h"
#include "op/set_up/make_discretisation.h"
#include "support/expect_counted.h"
#include "support/kernel_case.h"
#include "support/mixed_mesh.h"

namespace weft {
namespace {

void expect_costs(const Discretisation &d, const OperatorSettings &settings, IntegralKind kind,
                  bool gpu = false) {
  const auto device = open_host_device({.count = true, .gpu = gpu});
  FormOperator op(*device, d, settings);
  SCOPED_TRACE(op.launches(kind).front().variant);
  Vector u = make_vector(*device, op.size(), op.precision(), "u");
  Vector x = make_vector(*device, op.size(), op.precision(), "x");
  Vector y = make_vector(*device, op.size(), op.precision(), "y");
  set_vector(*device, u, wavy(op.size(), 0.3));
  set_vector(*device, x, wavy(op.size(), 1.1));
  op.linearise(u);
  take_counted_costs(*device);
  switch (kind) {
  case IntegralKind::residual:
    op.residual(u, y);
    break;
  case IntegralKind::linearised:
    op.apply(x, y);
    break;
  case IntegralKind::diagonal:
    op.diagonal(y);
    break;
  case IntegralKind::matrix:
    FAIL() << "an operator gives a vector of this kind";
  }
  Countable countable{.operations = d.form.c_text.empty()};
  countable.indirect_only = op.strategy() != Strategy::block && d.auxiliary.empty() &&
                            settings.geometry == GeometrySource::on_the_fly;
  expect_counted(take_counted_costs(*device), by_name(op.costs(kind)), countable);
}

// Blocks of few cells, so that there are several and some lanes have no cell.
struct SmallBlocks {
  Case c;
  Mesh mesh;
  Discretisation d;

  explicit SmallBlocks(const std::string &text, std::optional<int> degree = {})
      : c(read_text(text)) {
    c.mesh.leaf_cells = 6;
    c.mesh.condition_holds = conditions_at_points(c.form);
    Timings timings;
    mesh = make_mesh(c.mesh, timings);
    resolve_dimension(c, mesh.dim);
    d = make_discretisation(c, mesh, degree);
  }
  SmallBlocks(const SmallBlocks &) = delete;
  SmallBlocks &operator=(const SmallBlocks &) = delete;
};

// The ways to do a block: by a work-item; by a work-group at once, in passes, without a stage.
std::vector<OperatorSettings> ways(OperatorSettings settings) {
  settings.leaves_per_block = 1;
  if (settings.strategy != Strategy::block)
    return {settings};
  std::vector<OperatorSettings> all = {settings};
  settings.leaves_per_block = 2;
  settings.block_groups = true;
  all.push_back(settings);
  for (const int bytes : {6000, 2500}) {
    settings.local_memory_bytes =
        bytes * settings.lanes.value() * static_cast<int>(size_bytes(settings.precision)) / 8;
    all.push_back(settings);
  }
  return all;
}

std::vector<KernelCase> cost_cases() {
  std::vector<KernelCase> candidates;
  for (const KernelCase &c : every_kernel_case(2))
    if (c.value[KernelCase::lanes] < 2) // one lane, or four
      candidates.push_back(c);
  return std::getenv("WEFT_TEST_ALL") ? candidates : covering_pairs(candidates);
}

class KernelCosts : public testing::TestWithParam<KernelCase> {};

TEST_P(KernelCosts, AreWhatIsCounted) {
  const KernelCase c = GetParam();
  const SmallBlocks problem(problem_text(c), quadrature_degree(c));
  for (const OperatorSettings &settings : ways(c.settings(true)))
    expect_costs(problem.d, settings, c.kind_value());
}

INSTANTIATE_TEST_SUITE_P(Cells, KernelCosts, testing::ValuesIn(cost_cases()),
                         [](const auto &info) { return info.param.name(); });

INSTANTIATE_TEST_SUITE_P(Mass, KernelCosts, testing::ValuesIn(mass_cases()),
                         [](const auto &info) { return info.param.name(); });

INSTANTIATE_TEST_SUITE_P(ConstantGradients, KernelCosts,
                         testing::ValuesIn(constant_gradient_cases()),
                         [](const auto &info) { return info.param.name(); });

// Two cell types, so that no kernel meets all nodes; a parameter read by region.
TEST(KernelCosts, OfTwoCellTypesAndRegions) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_text(9));
  const SmallBlocks problem("[mesh]\nfile = \"" + file + R"TOML("
[parameters]
k = { soft = 1, hard = 3 }
c = { x0 = 2, x1 = 5 }
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u))) + exp(u)*min(u, 2)*test(u)"
facets.x0 = "c*k*u*test(u)"
facets.x1 = "c*u*test(u)"
)TOML",
                            4);
  ASSERT_EQ(problem.mesh.sets.size(), 2u);
  OperatorSettings settings;
  for (const Strategy strategy : {Strategy::cell, Strategy::block})
    for (const int lanes : {1, 4}) {
      settings.strategy = strategy;
      settings.lanes = lanes;
      for (const OperatorSettings &way : ways(settings))
        expect_costs(problem.d, way, IntegralKind::residual);
    }
  expect_costs(problem.d, {.sums = Summation::planes, .lanes = 1}, IntegralKind::residual);
}

// Sums by lines and planes at points that are nodes, odd and even in number, by lines on facets
// too.
TEST(KernelCosts, AtGaussLobattoPoints) {
  for (const std::string element : {"P2", "P5"}) {
    const SmallBlocks problem("[mesh]\nbox = { cells = [3, 2, 1], cell = \"hexahedron\" }\n"
                              "[fields]\nu = { element = \"" +
                              element + R"TOML(" }
[weak_form]
cells.all = "(1 + u)*inner(grad(u), grad(test(u))) + u*test(u)"
facets.x0 = "x*u*test(u)"
facets.y1 = "u*dot(grad(u), n)*dot(grad(test(u)), n)"
quadrature = "gauss_lobatto"
)TOML");
    OperatorSettings settings;
    settings.lanes = 1;
    for (const Summation sums : {Summation::lines, Summation::planes}) {
      settings.sums = sums;
      for (const IntegralKind kind :
           {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal})
        expect_costs(problem.d, settings, kind);
    }
  }
}

// Sums by planes: of cells that do not fill the last work-group, lanes, stored geometry, parameters
// and values by cell.
TEST(KernelCosts, ByPlanes) {
  const auto expect = [](const std::string &text, const OperatorSettings &settings) {
    const SmallBlocks problem(text);
    for (const IntegralKind kind :
         {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal})
      expect_costs(problem.d, settings, kind);
  };
  OperatorSettings settings;
  settings.sums = Summation::planes;
  for (const std::string cell : {"quadrilateral", "hexahedron"})
    for (const auto &[form, lanes, turns] :
         {std::tuple{"nonlinear", 1, 1}, std::tuple{"elasticity", 4, 2},
          std::tuple{"two_fields", 1, 2}, std::tuple{"mass", 1, 1}}) {
      settings.lanes = lanes;
      settings.groups_per_item = turns;
      settings.geometry = turns == 1 ? GeometrySource::on_the_fly : GeometrySource::stored;
      expect(box_text(cell, 1, 0.2, "[2, 3, 2]") + form_text(form, "P2", is_flat(cell)), settings);
    }
}

TEST(KernelCosts, OfIntegralsOverFacetsAlone) {
  const SmallBlocks problem(box_text("prism") + R"TOML(
[fields]
u = { element = "P1" }
[weak_form]
facets.boundary = "u*test(u)"
)TOML");
  OperatorSettings settings;
  settings.lanes = 4;
  expect_costs(problem.d, settings, IntegralKind::linearised);
}

// Edges, whose lengths are computed, beside points, of which no geometry is.
TEST(KernelCosts, OfEdgesAndPoints) {
  const SmallBlocks problem(box_text("tetrahedron") + R"TOML(
groups.rail = { edges = "y < 1e-9 and z < 1e-9" }
groups.post = { edges = "x < 1e-9 and y < 1e-9" }
groups.tip = { point = [1, 1, 1] }
[parameters]
c = { rail = 2, post = 5 }
[fields]
u = { element = "P2" }
[weak_form]
edges.rail = "(c + x)*u^2*test(u)"
edges.post = "c*u*test(u)"
points.tip = "3*u*test(u)"
)TOML");
  OperatorSettings settings;
  for (const int lanes : {1, 4})
    for (const IntegralKind kind : {IntegralKind::residual, IntegralKind::diagonal}) {
      settings.lanes = lanes;
      expect_costs(problem.d, settings, kind);
    }
}

// Both cells of a facet share nodes, classes, and dofs on the diagonal.
TEST(KernelCosts, OfFacetsBetweenTwoCells) {
  const CaseFolder folder;
  const std::string file = folder.write("mixed.msh", mixed_mesh_text(5));
  for (const std::string element : {"P2", "DG1"}) {
    const SmallBlocks problem("[mesh]\nfile = \"" + file + "\"\n[fields]\nu = { element = \"" +
                                  element + R"TOML(" }
[parameters]
k = { soft = 1, hard = 3 }
[weak_form]
cells.all = "k*u^2*test(u)"
interior.all = "avg(k*u^2)*dot(jump(grad(u)), n)*dot(jump(grad(test(u))), n) + plus(k*u)*avg(test(u))"
)TOML",
                              3);
    for (const int lanes : {1, 4})
      for (const IntegralKind kind :
           {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal})
        expect_costs(problem.d, {.strategy = Strategy::cell, .lanes = lanes}, kind);
  }
}

// The operations of the case's own C text are not known; those of all other kernels are.
TEST(KernelCosts, OfDifferencesForCText) {
  const SmallBlocks problem(box_text("triangle") + R"TOML(
[fields]
u = { element = "P1" }
[dirichlet]
x0 = { u = 1 }
[pointwise.u]
language = "c"
f0 = "f0 = u*u;"
f1 = "f1[0] = grad_u[0]; f1[1] = u*grad_u[1];"
)TOML");
  for (const bool gpu : {false, true})
    for (const IntegralKind kind :
         {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal})
      expect_costs(problem.d, {}, kind, gpu);
}

} // namespace
} // namespace weft
