// The cost formulas of every kernel against what the kernels do, counted on the host device: each
// kind of operation, each byte, exactly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/host_device.h"
#include "device/kernel_case.h"
#include "device/mixed_mesh.h"

namespace weft {
namespace {

std::string listed(const Operations &o) {
  std::string text =
      fmt::format("add {} multiply {} fma {} divide {} root {} simple {}", o.additions,
                  o.multiplications, o.multiply_adds, o.divisions, o.roots, o.simple);
  for (const auto &[name, count] : o.functions)
    text += fmt::format(" {} {}", name, count);
  return text;
}

// Indirect accesses that the dialect counts: those of a work-item's stage.
std::string listed_stage(const KernelCost &c) {
  return fmt::format("reads {} {} adds {} {}", c.stage_reads4, c.stage_reads1, c.stage_adds4,
                     c.stage_adds1);
}

std::string listed_bytes(const KernelCost &c) {
  return fmt::format("read {} written {} streamed {}", c.bytes_read, c.bytes_written,
                     c.bytes_streamed);
}

std::string listed_launch(const KernelCost &c) {
  return fmt::format("{} launches of {} groups, {} items", c.launches, c.work_groups, c.work_items);
}

// Launches by closed formulas, those of one kernel together.
std::map<std::string, KernelCost> by_name(const std::vector<NamedCost> &costs) {
  std::map<std::string, KernelCost> sums;
  for (const NamedCost &cost : costs)
    sums[cost.name] += cost.cost;
  return sums;
}

void expect_counted(const std::map<std::string, KernelCost> &counted,
                    const std::map<std::string, KernelCost> &expected, bool operations = true) {
  for (const auto &[name, cost] : expected)
    EXPECT_TRUE(counted.count(name)) << name << " was not launched";
  for (const auto &[name, found] : counted) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(expected.count(name)) << "has no cost";
    const KernelCost &cost = expected.at(name);
    if (operations)
      EXPECT_EQ(listed(found.operations), listed(cost.operations));
    EXPECT_EQ(listed_bytes(found), listed_bytes(cost));
    EXPECT_EQ(listed_launch(found), listed_launch(cost));
    if (found.stage_reads4 + found.stage_reads1 + found.stage_adds4 + found.stage_adds1 > 0)
      EXPECT_EQ(listed_stage(found), listed_stage(cost));
  }
}

void expect_costs(const Discretisation &d, const OperatorSettings &settings, IntegralKind kind) {
  const auto device = open_host_device({.count = true});
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
  }
  expect_counted(take_counted_costs(*device), by_name(op.costs(kind)), d.form.c_text.empty());
}

// Blocks of few cells, so that there are several and some lanes have no cell.
struct SmallBlocks {
  Case c;
  Mesh mesh;
  Discretisation d;

  explicit SmallBlocks(const std::string &text, std::optional<int> degree = {})
      : c(read_text(text)) {
    c.mesh.leaf_cells = 6;
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

} // namespace
} // namespace weft
