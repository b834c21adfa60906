// The model on figures made up so that times can be worked out by hand.
#include <cmath>
#include <gtest/gtest.h>

#include "tune/model/performance_model.h"

namespace weft {
namespace {

DeviceInfo cpu() {
  DeviceInfo info;
  info.is_cpu = true;
  info.native_lanes_f64 = 8;
  return info;
}

MachineFigures made_up() {
  MachineFigures machine;
  const auto set = [&](const std::string &name, double value) {
    machine.figures[name] = {.median = value, .low = value, .high = value};
  };
  set("memory.read.f64.gbps", 10);
  set("memory.copy.f64.gbps", 8);         // writing costs 1.5 times as much as reading
  set("memory.copy_stream.f64.gbps", 10); // past the caches as much as reading
  set("cache.copy.16384.gbps", 100);
  set("cache.copy.65536.gbps", 50);
  for (const char *operation : {"multiply_add", "add", "multiply_add_and_add", "multiply"})
    set(std::string("rate.") + operation + ".f64.gops", 10);
  set("rate.divide.f64.gops", 1);
  set("rate.exp.f64.gops", 0.5);
  set("rate.contract_unrolled.f64.gops", 5);
  set("rate.contract_spilled.f64.gops", 4);
  set("rate.contract_spilled_points.f64.gops", 4.5);
  set("rate.contract_loop.f64.gops", 2);
  set("gather_16.4.32768.f64.gops", 1);
  set("gather_16.1.32768.f64.gops", 2);
  set("gather.1.32768.f64.gops", 2);
  set("gather.memory.16384.f64.gops", 0.5);
  set("gather_alone.1.32768.f64.gops", 4);
  set("gather_alone.memory.16384.f64.gops", 1);
  set("scatter_add.1.32768.f64.gops", 1);
  set("scatter_add.2.32768.f64.gops", 0.8);
  set("scatter_add.4.32768.f64.gops", 0.5);
  // Four gathers take 4 ns, four additions 4, arithmetic 6.4: together the longest and half the
  // rest.
  set("mixed.f64.gops", 1 / 10.4);
  // Gathers 4 + 5 ns, additions 10, products 64.8: together the longest and 1.5 times the rest.
  set("mixed_points.f64.gops", 1 / 93.3);
  set("latency.launch.us", 2);
  set("latency.finish.us", 20);
  set("latency.group.us", 0.01);
  return machine;
}

Prediction of(const KernelCost &cost) {
  return predict(cost, Precision::f64, cpu(), made_up());
}

TEST(PerformanceModel, MemoryCountsWhatStoresReadFirst) {
  KernelCost cost;
  cost.bytes_read = 1e9;
  EXPECT_NEAR(of(cost).of(CostTerm::memory), 0.1, 1e-12);
  cost.bytes_written = 1e9;
  EXPECT_NEAR(of(cost).of(CostTerm::memory), 0.1 + 0.15, 1e-12);
  cost.bytes_streamed = 1e9;
  EXPECT_NEAR(of(cost).of(CostTerm::memory), 0.1 + 0.15 + 0.1, 1e-12);
}

TEST(PerformanceModel, OperationsHaveTheRatesOfTheirKind) {
  KernelCost cost;
  cost.operations.additions = 1e9;
  cost.operations.multiply_adds = 3e9;
  cost.operations.table_multiply_adds = 1e9;
  cost.operations.loop_multiply_adds = 1e9;
  cost.operations.divisions = 1e9;
  cost.operations.functions["exp"] = 1e9;
  cost.operations.functions["never measured"] = 1e9; // as exp
  // The multiply-add that is neither beside tables nor in a loop has the rate of those by tables.
  EXPECT_NEAR(of(cost).of(CostTerm::arithmetic), 0.1 + 0.2 + 0.2 + 0.5 + 1 + 2 + 2, 1e-12);
}

// Units of their own do additions beside products; half the gain, half beside.
TEST(PerformanceModel, AdditionsAreHiddenAsFarAsTheyHaveUnitsOfTheirOwn) {
  KernelCost cost;
  cost.operations.additions = 1e9;     // 0.1 s
  cost.operations.multiply_adds = 3e9; // 0.3 s
  MachineFigures machine = made_up();
  const auto seconds = [&](double together) {
    machine.figures["rate.multiply_add_and_add.f64.gops"] = {together, together, together};
    return predict(cost, Precision::f64, cpu(), machine).of(CostTerm::arithmetic);
  };
  EXPECT_NEAR(seconds(10), 0.4, 1e-12);
  EXPECT_NEAR(seconds(2 / 0.15), 0.35, 1e-12);
  EXPECT_NEAR(seconds(20), 0.3, 1e-12);
}

TEST(PerformanceModel, AdditionsToAStageAreInItsRate) {
  KernelCost cost;
  cost.stage_bytes = 32768;
  cost.stage_adds1 = 0.1e9;
  cost.stage_adds2 = 0.08e9;
  cost.stage_adds4 = 0.1e9;
  cost.operations.additions = 0.66e9 + 1e9;
  EXPECT_NEAR(of(cost).of(CostTerm::scatter), 0.1 + 0.1 + 0.2, 1e-12);
  EXPECT_NEAR(of(cost).of(CostTerm::arithmetic), 0.1, 1e-12);
}

// What is computed at a point waits for sums by tables.
TEST(PerformanceModel, ProductsBesideSumsByTablesHaveTheirRate) {
  KernelCost cost;
  cost.operations.multiply_adds = 3e9;
  cost.operations.multiplications = 1e9;
  EXPECT_NEAR(of(cost).of(CostTerm::arithmetic), 0.4, 1e-12);
  cost.operations.table_multiply_adds = 2e9;
  EXPECT_NEAR(of(cost).of(CostTerm::arithmetic), 0.8, 1e-12);
}

TEST(PerformanceModel, FewerLanesThanTheDeviceHasLeaveThemIdle) {
  KernelCost cost;
  cost.operations.multiply_adds = 1e9;
  cost.lanes = 2;
  EXPECT_NEAR(of(cost).of(CostTerm::arithmetic), 0.4, 1e-12);
  cost.lanes = 8;
  EXPECT_NEAR(of(cost).of(CostTerm::arithmetic), 0.1, 1e-12);
}

TEST(PerformanceModel, ValuesThatFindNoRegisterAreSpilled) {
  KernelCost cost;
  cost.operations.multiply_adds = cost.operations.table_multiply_adds = 1e9;
  cost.private_values = 20;
  cost.lanes = 8;
  cost.slots = 1e6;
  EXPECT_NEAR(of(cost).of(CostTerm::arithmetic), 0.2, 1e-12);
  EXPECT_EQ(of(cost).of(CostTerm::staging), 0);
  cost.lanes = 16; // two registers a value
  EXPECT_NEAR(of(cost).of(CostTerm::arithmetic), 0.25, 1e-12);
  cost.lanes = 8;
  cost.private_values = 50;
  EXPECT_NEAR(of(cost).of(CostTerm::arithmetic), 0.25, 1e-12);
  EXPECT_NEAR(of(cost).of(CostTerm::staging), 2 * (50 - 32) * 8 * 1e6 / 100e9, 1e-12);
  cost.unrolled_points = true;
  EXPECT_NEAR(of(cost).of(CostTerm::arithmetic), 1 / 4.5, 1e-12);
}

TEST(PerformanceModel, FirstReadsOfPlacesWaitForMemory) {
  KernelCost cost;
  cost.memory_reads1 = 10e9;
  cost.memory_places1 = 1e9;
  // 5 s in the cache; of 2 s for the first reads, 0.8 s are their bytes, which memory counts.
  EXPECT_NEAR(of(cost).of(CostTerm::gather), 5 + 2 - 0.8, 1e-9);
}

// In loops that no compiler makes gathers of the processor of.
TEST(PerformanceModel, ReadsOneByOneHaveTheirRate) {
  KernelCost cost;
  cost.memory_reads1 = cost.memory_places1 = 2e9;
  cost.memory_alone1 = 1e9;
  // 0.5 + 0.25 s in the cache; 2 + 1 s from memory, 0.8 of each for bytes that memory counts.
  EXPECT_NEAR(of(cost).of(CostTerm::gather), 0.5 + 2 - 0.8 + 0.25 + 1 - 0.8, 1e-9);
}

TEST(PerformanceModel, StreamsHideTheShorterOfMemoryAndArithmetic) {
  KernelCost cost;
  cost.bytes_read = 1e9;
  cost.operations.multiply_adds = 3e9;
  EXPECT_NEAR(of(cost).seconds, 0.3, 1e-12);
  EXPECT_EQ(of(cost).bound(), CostTerm::arithmetic);
}

TEST(PerformanceModel, PhasesOfBlocksAddUpAndWorkOfACoreIsHalfHidden) {
  KernelCost cost;
  cost.bytes_read = 1e9; // 0.1 s
  cost.stage_bytes = 65536;
  cost.stage_reads4 = 0.1e9;                        // 0.1 s
  cost.stage_adds1 = 0.2e9;                         // 0.2 s
  cost.local_bytes = 0.1e9 * 32 + 0.2e9 * 16 + 5e9; // 0.1 s of copies, past the first cache
  cost.operations.multiply_adds = 4e9;              // 0.4 s
  EXPECT_NEAR(of(cost).of(CostTerm::staging), 0.1, 1e-12);
  EXPECT_NEAR(of(cost).seconds, 0.1 + 0.1 + 0.4 + 0.5 * 0.3, 1e-9);
}

// 0.4 s of products and 0.1 s of additions to a stage.
KernelCost cells_that_add() {
  KernelCost cost;
  cost.stage_bytes = 32768;
  cost.stage_adds1 = 0.1e9; // 0.1 s
  cost.local_bytes = 0.1e9 * 16;
  cost.operations.multiply_adds = 4e9; // 0.4 s
  return cost;
}

// The more is computed for a cell, the less a core sees of the next one meanwhile.
TEST(PerformanceModel, LongWorkHidesLess) {
  KernelCost cost = cells_that_add();
  const auto seconds = [&](double products) {
    cost.slots = 4e9 / products;
    return of(cost).seconds - of(cost).of(CostTerm::staging);
  };
  EXPECT_NEAR(seconds(8), 0.4 + 0.5 * 0.1, 1e-9);
  EXPECT_NEAR(seconds(64), 0.4 + 0.5 * 0.1, 1e-9);
  EXPECT_NEAR(seconds(std::sqrt(64 * 324.0)), 0.4 + 1.0 * 0.1, 1e-9); // half the way, by logarithms
  EXPECT_NEAR(seconds(324), 0.4 + 1.5 * 0.1, 1e-9);
  EXPECT_NEAR(seconds(2000), 0.4 + 1.5 * 0.1, 1e-9);
}

// Cells that wait at each turn from one kind of work to the next.
TEST(PerformanceModel, ShortWorkMayTakeMoreThanItsKindsAlone) {
  MachineFigures machine = made_up();
  machine.figures["mixed.f64.gops"] = {.median = 1 / 17.4}; // 3 ns more than 4 + 4 + 6.4
  KernelCost cost = cells_that_add();
  const auto turns = [&](double products) {
    cost.slots = 4e9 / products;
    const Prediction p = predict(cost, Precision::f64, cpu(), machine);
    return (p.seconds - p.of(CostTerm::staging) - 0.5) * 1e9 / cost.slots; // ns a cell
  };
  EXPECT_NEAR(turns(64), 3, 1e-9);
  EXPECT_NEAR(turns(16), 3 / 4.0, 1e-9);
  // Half the way to long work, of which 1.5 times as much adds up; 3.6 ns of additions a cell.
  EXPECT_NEAR(turns(std::sqrt(64 * 324.0)), 3 / 2.0 + 0.25 * 3.6, 1e-9);
  cost.stage_reads4 = cost.stage_adds1;
  cost.stage_adds1 = 0; // nothing follows what is computed
  EXPECT_NEAR(turns(64), 0, 1e-9);
}

// A block's stage is passed through the first cache, and shares the others with what the block
// reads and writes in memory.
TEST(PerformanceModel, StagesLieInTheCacheThatHoldsThemAndTheirStreams) {
  KernelCost cost;
  cost.stage_bytes = 16384;
  cost.stage_reads1 = 1e6;
  cost.work_groups = 1e5;
  cost.local_bytes = 8 * 1e6 + 1e9;
  const double bytes = 1e9 + 1e5 * 16384; // copied, and passed by the cells
  EXPECT_NEAR(of(cost).of(CostTerm::staging), bytes / 100e9, 1e-12);
  cost.bytes_read = 1e5 * 40000;
  cost.bytes_written = 1e5 * 9000;
  EXPECT_NEAR(of(cost).of(CostTerm::staging), bytes / 50e9, 1e-12);
  cost.stage_reads1 = 0; // no stage that cells look up
  cost.local_bytes = 1e9;
  EXPECT_NEAR(of(cost).of(CostTerm::staging), 1e9 / 100e9, 1e-12);
}

TEST(PerformanceModel, LaunchesFollowOneAnotherAndAreWaitedForOnce) {
  KernelCost cost;
  cost.launches = 1;
  cost.work_groups = 100;
  const Prediction two = predict({{"a", cost}, {"b", cost}}, Precision::f64, cpu(), made_up());
  EXPECT_NEAR(two.seconds, 2 * (2e-6 + 1e-6) + 20e-6, 1e-12);
  EXPECT_EQ(two.bound(), CostTerm::latency);
}

TEST(PerformanceModel, AnotherStateOfTheMachineScalesItsFigures) {
  KernelCost cost;
  cost.bytes_read = 1e9;
  cost.stage_bytes = 32768;
  cost.stage_reads4 = 1e8; // 0.1 s
  cost.operations.multiply_adds = 1e9;
  const Prediction p = predict(cost, Precision::f64, cpu(),
                               at_state(made_up(), {.memory = 0.5, .operations = 2, .cores = 0.8}));
  EXPECT_NEAR(p.of(CostTerm::memory), 0.2, 1e-12);
  EXPECT_NEAR(p.of(CostTerm::arithmetic), 0.05, 1e-12);
  EXPECT_NEAR(p.of(CostTerm::gather), 0.125, 1e-12);
}

} // namespace
} // namespace weft
