// The block strategy with a work-group a block against the reference loops, and as CUDA text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "device/dialect.h"
#include "device/host/host_device.h"
#include "op/layout/block_lists.h"
#include "op/reference/reference.h"
#include "op/weak_form/form_operator.h"
#include "support/difference.h"
#include "support/discrete_problem.h"
#include "support/need_nvrtc.h"
#include "support/test_device.h"

namespace weft {
namespace {

std::vector<double> wavy(std::int64_t size, double phase) {
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i)
    values[i] = 1.5 + std::sin(0.7 * static_cast<double>(i) + phase);
  return values;
}

OperatorSettings by_groups(int lanes, Precision precision = Precision::f64,
                           GeometrySource geometry = GeometrySource::on_the_fly) {
  OperatorSettings settings;
  settings.strategy = Strategy::block;
  settings.block_groups = true;
  settings.lanes = lanes;
  settings.precision = precision;
  settings.geometry = geometry;
  return settings;
}

// "staged=1" is in the variant of the kernel that integrates over cells.
bool is_staged(FormOperator &op) {
  return op.launches(IntegralKind::residual)[0].variant.find("staged=1") != std::string::npos;
}

int num_passes(FormOperator &op) {
  const std::string &text = op.launches(IntegralKind::residual)[0].source.text;
  const std::string name = "WEFT_NUM_PASSES ";
  return std::stoi(text.substr(text.find(name) + name.size()));
}

// Residual, apply and diagonal, and the same bits a second time.
void expect_reference(FormOperator &op, const Discretisation &d) {
  const std::vector<double> u = wavy(d.num_owned, 0.3), x = wavy(d.num_owned, 1.1);
  Device &device = op.device();
  Vector state = make_vector(device, d.num_owned, op.precision(), "state");
  Vector direction = make_vector(device, d.num_owned, op.precision(), "direction");
  Vector result = make_vector(device, d.num_owned, op.precision(), "result");
  set_vector(device, state, u);
  set_vector(device, direction, x);
  const double tolerance = op.precision() == Precision::f64 ? 1e-12 : 2e-4;
  op.residual(state, result);
  const std::vector<double> first = get_vector(device, result);
  EXPECT_LT(difference(first, reference::residual(d, u)), tolerance) << "residual";
  op.linearise(state);
  op.apply(direction, result);
  EXPECT_LT(difference(get_vector(device, result), reference::apply(d, u, x)), tolerance)
      << "apply";
  op.diagonal(result);
  EXPECT_LT(difference(get_vector(device, result), reference::diagonal(d, u)), tolerance)
      << "diagonal";
  op.residual(state, result);
  EXPECT_EQ(get_vector(device, result), first) << "the same bits";
  EXPECT_GT(op.bytes(IntegralKind::residual), 0);
}

void expect_reference(const Discretisation &d, const OperatorSettings &settings) {
  FormOperator op(test_device(), d, settings);
  SCOPED_TRACE(op.launches(IntegralKind::residual)[0].source.name + " " +
               op.launches(IntegralKind::residual)[0].variant);
  expect_reference(op, d);
}

std::string non_linear(const std::string &element) {
  return R"TOML(
[parameters]
k = "1 + x*y"
[fields]
u = { element = ")TOML" +
         element + R"TOML(" }
[auxiliary]
a = { element = "P1", value = "1 + x" }
b = { element = "DG0", value = "2 - y" }
[weak_form]
cells.all = "(k + a*u^2)*inner(grad(u), grad(test(u))) + b*u*test(u) + cell_size*test(u)"
[dirichlet]
x0 = { u = "1 + y" }
)TOML";
}

std::string elasticity(const std::string &element) {
  return R"TOML(
[parameters]
mu = 0.7
lam = 1.3
[fields]
u = { element = ")TOML" +
         element + R"TOML(", shape = "vector" }
[weak_form]
cells.all = "2*mu*inner(sym(grad(u)), sym(grad(test(u)))) + lam*div(u)*div(test(u))"
[dirichlet]
x0 = { "u[0]" = 0.5 }
)TOML";
}

std::string box(const std::string &cells, const std::string &cell) {
  return "[mesh]\nbox = { cells = " + cells + ", cell = \"" + cell + "\", distort = 0.2 }\n";
}

// Lanes, precisions and geometries on every cell, not on one.
bool test_all() {
  return std::getenv("WEFT_TEST_ALL") != nullptr;
}

class BlockGroupOnCell : public testing::TestWithParam<const char *> {
protected:
  // More than one leaf of 256 cells.
  std::string several_leaves() const {
    const std::string cell = GetParam();
    return is_flat(cell)           ? box("[20, 17]", cell)
           : cell == "tetrahedron" ? box("[5, 5, 6]", cell)
                                   : box("[7, 9, 11]", cell);
  }
};

TEST_P(BlockGroupOnCell, NonLinearFormOfOrderOne) {
  const DiscreteProblem problem(several_leaves() + non_linear("P1"), {}, 2);
  expect_reference(problem.d, by_groups(1));
  if (test_all() || std::string(GetParam()) == "tetrahedron")
    expect_reference(problem.d, by_groups(8, Precision::f32, GeometrySource::stored));
}

TEST_P(BlockGroupOnCell, NonLinearFormOfOrderTwo) {
  const DiscreteProblem problem(several_leaves() + non_linear("P2"), {}, 3);
  expect_reference(problem.d, by_groups(1));
}

TEST_P(BlockGroupOnCell, VectorField) {
  const DiscreteProblem problem(several_leaves() + elasticity("P1"), {}, 2);
  expect_reference(problem.d, by_groups(1, Precision::f64, GeometrySource::stored));
  if (test_all() || std::string(GetParam()) == "triangle")
    expect_reference(problem.d, by_groups(4));
}

INSTANTIATE_TEST_SUITE_P(FormOperator, BlockGroupOnCell,
                         testing::Values("triangle", "tetrahedron", "hexahedron"),
                         [](const auto &info) { return std::string(info.param); });

TEST(BlockGroup, AwkwardSizes) {
  for (const std::string cells : {"[1, 1]", "[31, 1]", "[199, 3]"}) {
    const DiscreteProblem problem(box(cells, "quadrilateral") + R"TOML(
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) + u^3*test(u)"
)TOML",
                                  {}, 2);
    expect_reference(problem.d, by_groups(4));
    if (test_all() || cells == "[199, 3]") // one lane has no remainder but in passes
      expect_reference(problem.d, by_groups(1));
  }
}

TEST(BlockGroup, PassesWhereLocalMemoryIsSmall) {
  const DiscreteProblem problem(box("[5, 5, 6]", "tetrahedron") + elasticity("P2"), {}, 2);
  OperatorSettings settings = by_groups(1);
  FormOperator in_passes(test_device(), problem.d, settings);
  EXPECT_TRUE(is_staged(in_passes));
  EXPECT_GT(num_passes(in_passes), 1);
  expect_reference(in_passes, problem.d);
  // Too little for the nodal values of a block: they are read where they are.
  settings.local_memory_bytes = 16 << 10;
  settings.lanes = 4;
  FormOperator unstaged(test_device(), problem.d, settings);
  EXPECT_FALSE(is_staged(unstaged));
  EXPECT_GT(num_passes(unstaged), num_passes(in_passes));
  expect_reference(unstaged, problem.d);
}

TEST(BlockGroup, MergedLeavesAndFieldsOfDifferentOrders) {
  const DiscreteProblem problem(box("[30, 30]", "triangle") + R"TOML(
[fields]
v = { element = "P2", shape = "vector" }
p = { element = "P1" }
[weak_form]
cells.all = "inner(grad(v), grad(test(v))) - p*div(test(v)) - div(v)*test(p) + p*test(p)"
)TOML",
                                {}, 3);
  OperatorSettings settings = by_groups(2);
  settings.leaves_per_block = 2;
  expect_reference(problem.d, settings);
}

TEST(BlockGroup, WorkItemsAreForcedOrChosen) {
  const DiscreteProblem problem(box("[20, 20]", "triangle") + non_linear("P1"), {}, 2);
  OperatorSettings settings = by_groups(1);
  const auto group_size = [&] {
    FormOperator op(test_device(), problem.d, settings);
    return op.launches(IntegralKind::residual)[0].launch.group_size;
  };
  EXPECT_GT(group_size(), 1);
  settings.block_groups = false;
  EXPECT_EQ(group_size(), 1);
  settings.block_groups.reset();
  EXPECT_EQ(group_size() > 1, !test_device().info().is_cpu);
}

TEST(BlockGroup, AsksForNoMoreLocalMemoryThanThereIs) {
  const DiscreteProblem problem(box("[2, 2]", "triangle") + non_linear("P1"), {}, 2);
  OperatorSettings settings = by_groups(1);
  const auto kind = [&] {
    try {
      FormOperator op(test_device(), problem.d, settings);
    } catch (const Error &error) {
      return error.kind();
    }
    return ErrorKind::invariant;
  };
  settings.local_memory_bytes = 1 << 30;
  EXPECT_EQ(kind(), ErrorKind::unsupported);
  settings.local_memory_bytes = 8;
  EXPECT_EQ(kind(), ErrorKind::unsupported);
}

TEST(BlockGroup, SizesFitLocalMemory) {
  // 256 cells of P2 tetrahedra, three components: 240 bytes a cell.
  const BlockGroupSizes passes = choose_block_group(16000, 240, 256, 1, 128, 49152);
  EXPECT_TRUE(passes.staged);
  EXPECT_EQ(passes.num_passes, 2);
  EXPECT_EQ(passes.pass_groups, 128);
  EXPECT_EQ(passes.threads, 128);
  const BlockGroupSizes unstaged = choose_block_group(40000, 240, 256, 1, 128, 49152);
  EXPECT_FALSE(unstaged.staged);
  EXPECT_EQ(unstaged.pass_groups * unstaged.num_passes, 256);
  const BlockGroupSizes lanes = choose_block_group(4096, 32, 32, 8, 16, 49152);
  EXPECT_EQ(lanes.num_passes, 1);
  EXPECT_EQ(lanes.pass_groups, 32);
  EXPECT_EQ(lanes.threads, 16);
}

TEST(BlockGroup, ListsOfTwoTriangles) {
  // Two cells that share nodes 1 and 2, one lane, both in one pass.
  BlockPlan plan;
  plan.groups = {.lanes = 1, .cells = {0, 1}};
  plan.num_blocks = 1;
  plan.blocks = {0, 2, 0, 4, 0, 0, 0};
  plan.nodes = {{0, 1, 2, 2, 1, 3}};
  const BlockLists lists =
      make_block_lists(plan, {3}, {true}, {.threads = 2, .pass_groups = 2, .num_passes = 1});
  EXPECT_EQ(lists.passes, (std::vector<std::int32_t>{0, 4, 2}));
  // Nodes 1 and 2 have two entries: node of the cell * 2 slots + cell.
  EXPECT_EQ(lists.lists[0], (std::vector<std::uint16_t>{1, 2, 0, 3, // nodes
                                                        0, 4, 6,    // columns
                                                        2, 4, 0, 5, // first entries
                                                        3, 1}));    // second ones
  EXPECT_EQ(plan.nodes[0], (std::vector<std::uint16_t>{0, 2, 1, 1, 2, 3}));
}

TEST(BlockGroup, OrderOfWorkItemsDoesNotMatter) {
  const DiscreteProblem problem(box("[20, 17]", "triangle") + elasticity("P1"), {}, 2);
  OperatorSettings settings = by_groups(1);
  settings.local_memory_bytes = 8 << 10; // several passes
  std::vector<std::vector<double>> results;
  for (const bool reverse : {false, true}) {
    const std::unique_ptr<Device> device = open_host_device({.reverse = reverse});
    FormOperator op(*device, problem.d, settings);
    EXPECT_GT(num_passes(op), 1);
    Vector u = make_vector(*device, op.size(), Precision::f64, "u");
    Vector r = make_vector(*device, op.size(), Precision::f64, "r");
    set_vector(*device, u, wavy(op.size(), 0));
    op.residual(u, r);
    results.push_back(get_vector(*device, r));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_LT(difference(results[0], reference::residual(problem.d, wavy(problem.d.num_owned, 0))),
            1e-12);
}

TEST(BlockGroup, CompilesAsCuda) {
  need_nvrtc();
  const DiscreteProblem problem(box("[4, 4, 4]", "tetrahedron") + elasticity("P2"), {}, 2);
  for (const std::int32_t local_bytes : {48 << 10, 16 << 10})
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      OperatorSettings settings = by_groups(1, precision);
      settings.local_memory_bytes = local_bytes;
      FormOperator op(test_device(), problem.d, settings);
      std::string text = op.launches(IntegralKind::linearised)[0].source.text;
      const std::string head = program_head(op.device().info().backend, precision, 1);
      const std::size_t begin = text.find(head);
      ASSERT_NE(begin, std::string::npos);
      text.replace(begin, head.size(), program_head("cuda", precision, 1));
      EXPECT_FALSE(compile_cuda_text(text).empty());
    }
}

} // namespace
} // namespace weft
