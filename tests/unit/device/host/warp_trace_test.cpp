// Counts of warps, of kernels for which they can be worked out by hand.
#include "device/host/warp_trace.h"

#include <gtest/gtest.h>
#include <string>

#include "device/dialect.h"
#include "device/host/host_device.h"

namespace weft {

namespace {

// A kernel over reals `from` and `to` of 256 doubles in blocks of `group_size` threads; `body`
// knows the thread's number as `i` and the block's own number of it as `t`.
WarpCounts counts_of(const std::string &body, int group_size = 64, int groups = 1, int sample = 0) {
  const std::unique_ptr<Device> device =
      open_host_device({.warps = true, .gpu = true, .sample = sample});
  const std::string text = program_head("host", Precision::f64, 1) +
                           "WEFT_KERNEL(tried, WEFT_GLOBAL const real *WEFT_RESTRICT from,\n"
                           "            WEFT_GLOBAL real *WEFT_RESTRICT to) {\n"
                           "WEFT_LOCAL_ARRAY(real, shared, 2048);\n"
                           "const i32 t = weft_local_id();\n"
                           "const i32 i = weft_group_id() * weft_group_size() + t;\n" +
                           body + "}\n";
  const Program program = device->build({"tried", text, {"tried"}});
  const std::vector<double> values(256, 1.0);
  const Buffer from = device->allocate(2048, "from"), to = device->allocate(2048, "to");
  device->write(from, values.data(), 2048);
  device->write(to, values.data(), 2048);
  device->launch(program, "tried", {groups, group_size}, {from, to});
  return take_warp_counts(*device).at("tried");
}

// Two loads or stores a warp for what 64 threads do, and so on.
TEST(WarpTrace, NeighboursShareSectors) {
  const WarpCounts counts = counts_of("to[i] = from[i];");
  EXPECT_EQ(counts.requests, 4);
  EXPECT_EQ(counts.sectors_read, 64 * 8 / 32);
  EXPECT_EQ(counts.sectors_written, 64 * 8 / 32);
  EXPECT_EQ(counts.sector_bytes(), 2 * 64 * 8);
  EXPECT_EQ(counts.divergent_steps, 0);
  EXPECT_GT(counts.steps, 0);
  EXPECT_EQ(counts.barriers, 0);
  EXPECT_EQ(counts.local_requests, 0);
}

TEST(WarpTrace, StridesTouchASectorAThread) {
  EXPECT_EQ(counts_of("to[i] = from[4 * t];", 32).sectors_read, 32);
  EXPECT_EQ(counts_of("to[i] = from[2 * t];", 32).sectors_read, 16);
  EXPECT_EQ(counts_of("to[i] = from[7];", 32).sectors_read, 1);
}

TEST(WarpTrace, AFewThreadsMakeASmallerWarp) {
  const WarpCounts counts = counts_of("to[i] = from[i];", 40, 2);
  EXPECT_EQ(counts.requests, 8);
  EXPECT_EQ(counts.sectors_read, 2 * (8 + 2));
  EXPECT_EQ(counts.divergent_steps, 0);
}

// Groups that do the same: some of them tell what all do.
TEST(WarpTrace, OfSomeGroupsOnlyTheseAreCounted) {
  const std::string body = "to[i] = from[i]; weft_barrier(); to[i] = to[i] + from[i];";
  const WarpCounts all = counts_of(body, 32, 8), some = 4 * counts_of(body, 32, 8, 2);
  EXPECT_EQ(all.sectors_read, 3 * 8 * 8);
  EXPECT_EQ(all.load_phases, 2 * 8); // before the barrier and after it
  for (const auto count :
       {&WarpCounts::requests, &WarpCounts::load_phases, &WarpCounts::sectors_read,
        &WarpCounts::sectors_written, &WarpCounts::steps, &WarpCounts::barriers})
    EXPECT_EQ(all.*count, some.*count);
}

// What is left out of a long loop is as what was recorded of it.
TEST(WarpTrace, ALongLoopIsCountedByItsBeginning) {
  const double turns = 40000;
  const WarpCounts counts =
      counts_of("for (i32 k = 0; k < 40000; ++k) to[i] = to[i] + from[t];", 32, 2, 1);
  EXPECT_NEAR(counts.requests, 3 * turns, 0.01 * turns);
  EXPECT_NEAR(counts.sectors_read, 2 * 8 * turns, 0.01 * turns);
}

// Threads that branch are two requests; after the branch they go together again.
TEST(WarpTrace, BranchesDivergeAndComeTogether) {
  const WarpCounts counts =
      counts_of("real v;\n"
                "if (t % 2 == 0)\n  v = from[t];\nelse\n  v = from[100 + t];\n"
                "to[i] = v;",
                32);
  EXPECT_EQ(counts.requests, 3);
  EXPECT_EQ(counts.sectors_read, 8 + 8);
  EXPECT_EQ(counts.sectors_written, 8);
  EXPECT_GT(counts.divergent_steps, 0);
  EXPECT_LT(counts.divergent_steps, counts.steps);
  const WarpCounts alike = counts_of("real v;\n"
                                     "if (t < 32)\n  v = from[t];\nelse\n  v = from[100 + t];\n"
                                     "to[i] = v;");
  EXPECT_EQ(alike.divergent_steps, 0);
}

// Loops of 1 to 4 rounds, one in another: every round of the longest is a request of those that
// still go round, and the second loop finds all together again.
TEST(WarpTrace, LoopsEndWithTheLongest) {
  const std::string inner = "for (i32 k = 0; k <= t % 4; ++k)\n  sum += from[8 * k];\n";
  const std::string begin = "real sum = 0;\n", end = "to[i] = sum;";
  EXPECT_EQ(counts_of(begin + inner + end, 32).sectors_read, 4);
  EXPECT_EQ(counts_of(begin + inner + inner + end, 32).sectors_read, 8);
  EXPECT_EQ(
      counts_of(begin + "for (i32 r = 0; r < 5; ++r) {\n" + inner + "}\n" + end, 32).sectors_read,
      20);
}

TEST(WarpTrace, ThreadsThatLeaveAreNoMore) {
  const WarpCounts counts = counts_of("if (t >= 16)\n  return;\nto[i] = from[i];", 32);
  EXPECT_EQ(counts.sectors_read, 4);
  EXPECT_GT(counts.divergent_steps, 0);
}

TEST(WarpTrace, LoadsInFunctionsStandWhereTheyAreCalled) {
  // The function is called at two places: four requests, and not two.
  const WarpCounts counts = counts_of("real a = lane_load(from + t);\n"
                                      "a = a + lane_load(from + 64 + t);\n"
                                      "to[i] = a;",
                                      32);
  EXPECT_EQ(counts.requests, 3);
  EXPECT_EQ(counts.sectors_read, 16);
}

TEST(WarpTrace, BanksOfLocalMemory) {
  const auto conflicts = [](const std::string &index) {
    return counts_of("shared[" + index + "] = 1;\nto[i] = 1;", 32);
  };
  EXPECT_EQ(conflicts("t").local_requests, 1);
  EXPECT_EQ(conflicts("t").bank_conflicts, 0);
  // Doubles 2 apart are in half of the banks, 16 apart in one pair of them.
  EXPECT_EQ(conflicts("2 * t").bank_conflicts, 2);
  EXPECT_EQ(conflicts("16 * t").bank_conflicts, 30);
  EXPECT_EQ(conflicts("17 * t").bank_conflicts, 0);
  // The same word for all.
  EXPECT_EQ(counts_of("shared[t] = 1;\nweft_barrier();\nto[i] = shared[5];", 32).bank_conflicts, 0);
}

TEST(WarpTrace, Barriers) {
  const WarpCounts counts =
      counts_of("shared[t] = from[t];\nweft_barrier();\nto[i] = shared[63 - t];\nweft_barrier();");
  EXPECT_EQ(counts.barriers, 4);
  EXPECT_EQ(counts.local_requests, 4);
  EXPECT_EQ(counts.divergent_steps, 0);
}

} // namespace

} // namespace weft
