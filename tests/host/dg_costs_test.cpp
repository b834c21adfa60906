// The costs of discontinuous Galerkin kernels against what they do, counted on the host device:
// each kind of operation, each byte, exactly.
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "support/dg_case.h"
#include "support/expect_counted.h"
#include "support/on_ranks.h"

namespace weft {
namespace {

// Each law and cell type, ways and updates in turn; axes as in DgCase. Exact where no cell has a
// node on two facets with conditions that read positions.
std::vector<DgCase> dg_cost_cases() {
  return {
      {{0, 0, 2, 2, 0, 1, 3, 0, 2}}, {{0, 1, 2, 3, 1, 1, 2, 1, 0}}, {{1, 1, 2, 0, 0, 1, 1, 2, 4}},
      {{1, 0, 3, 3, 1, 0, 2, 0, 3}}, {{2, 0, 2, 1, 0, 1, 4, 2, 1}}, {{2, 2, 1, 2, 0, 0, 3, 3, 2}},
      {{3, 1, 1, 2, 1, 1, 1, 1, 4}}, {{3, 0, 2, 1, 0, 0, 2, 0, 2}}, {{4, 1, 2, 2, 0, 1, 2, 0, 3}},
      {{4, 0, 1, 3, 1, 0, 0, 3, 1}}, {{0, 1, 0, 1, 0, 1, 0, 1, 2}}, {{4, 0, 0, 2, 0, 1, 0, 0, 0}}};
}

class DgCosts : public testing::TestWithParam<DgCase> {};

TEST_P(DgCosts, AreWhatIsCounted) {
  const DgCase c = GetParam();
  const DgProblem p(c, c.dim() == 2 ? "[3, 3]" : "[2, 2, 1]");
  const auto device = open_host_device({.count = true});
  LawRates op(*device, p.problem.d, c.settings(true));
  Vector q = make_vector(*device, op.size(), op.precision(), "state");
  op.set_state(dg_state(p.problem.d), q);
  take_counted_costs(*device);
  op.unit_step(dg_time, q);
  expect_counted(take_counted_costs(*device), by_name(op.costs_of(DgStage::step, {})));
  run_dg_stage(*device, op, p.problem.d, c.stage_update());
  expect_counted(take_counted_costs(*device), by_name(op.costs(c.stage_update())));
}

INSTANTIATE_TEST_SUITE_P(Cells, DgCosts, testing::ValuesIn(dg_cost_cases()),
                         [](const auto &info) { return info.param.name(); });

// Ranks launch twice what reads neighbours, over inner cells and over those at the border: what is
// done has the same cost as on one.
TEST(DgCosts, OfRanksAreThoseOfBothLaunches) {
  const DgCase c{{0, 0, 2, 3, 0, 1, 3, 0, 0}};
  const DgProblem p(c, "[8, 8]");
  on_parts(p.problem, 2, [&](Communicator &ranks, const Discretisation &d) {
    const bool counts = ranks.rank() == 0; // one thread of a process may
    const auto device = open_host_device({.count = counts});
    LawRates op(*device, d, c.settings(true));
    const auto vector = [&] {
      Vector v = make_vector(*device, op.layout(), op.precision(), "state");
      op.set_state(std::vector<double>(d.num_local, 1.0), v);
      return v;
    };
    const Vector q = vector();
    Vector out = vector();
    if (counts)
      take_counted_costs(*device);
    op.stage(dg_time, dg_step, rate_alone, q, nullptr, nullptr, out);
    if (!counts)
      return;
    auto counted = take_counted_costs(*device);
    const auto expected = by_name(op.costs(rate_alone));
    ASSERT_EQ(expected.size(), 2u); // gradients, and the rest
    for (const auto &[name, cost] : expected) {
      const KernelCost &found = counted.at(name);
      EXPECT_EQ(found.launches, 2);
      EXPECT_EQ(listed_launch(found), listed_launch(cost));
      EXPECT_EQ(listed(found.operations), listed(cost.operations));
      EXPECT_EQ(found.bytes_written, cost.bytes_written);
      // What a launch reads of the other's cells is counted once a facet, and tables as a whole.
      EXPECT_NEAR(found.bytes_read, cost.bytes_read, 0.1 * found.bytes_read);
    }
  });
}

// Flop rates count what cells need: all that is done where every lane has a cell, blocks end with
// their lines, and no facet has a condition.
TEST(DgCosts, NeededOperationsAreThoseThatAreDone) {
  // Ten nodes, in classes of six and four.
  for (const auto &[rows, by_symmetry] :
       {std::pair{1, true}, {2, true}, {1, false}, {2, false}, {5, false}}) {
    const DiscreteProblem p(
        "physics = [\"euler\"]\n[mesh]\nbox = { cells = [4, 4], cell = \"triangle\", "
        "periodic = [\"x\", \"y\"] }\n[time]\nend = 1\ncfl = 0.5\n");
    const auto device = open_host_device({.count = true});
    DgSettings settings;
    settings.lanes = 4;
    settings.rows = rows;
    settings.by_symmetry = by_symmetry;
    LawRates op(*device, p.d, settings);
    const StageUpdate update{
        .keep = 0.5, .state = 1, .sum = 1, .uses_sum = true, .keeps_sum = true};
    run_dg_stage(*device, op, p.d, update);
    const auto counted = take_counted_costs(*device);
    ASSERT_EQ(counted.size(), 1u);
    EXPECT_EQ(listed(op.needed_operations(DgStage::fused, update)),
              listed(counted.begin()->second.operations));
  }
}

} // namespace
} // namespace weft
