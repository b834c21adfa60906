// The cache model on a machine of round figures.
#include "tune/model/cache_model.h"

#include <cmath>
#include <gtest/gtest.h>

namespace weft {
namespace {

const DeviceInfo machine_info = {.is_cpu = true, .compute_units = 2, .last_cache_bytes = 1 << 24};

MachineFigures round_figures() {
  MachineFigures machine;
  const auto set = [&](const std::string &name, double value) {
    machine.figures[name] = {value, value, value};
  };
  for (const auto &[bytes, rate] :
       {std::pair{16384, 8.0}, {262144, 4.0}, {4194304, 1.0}, {67108864, 0.25}})
    set("gather_alone.1." + std::to_string(bytes) + ".f64.gops", rate);
  for (const auto &[bytes, rate] : {std::pair{16384, 4.0}, {262144, 2.0}, {67108864, 0.5}})
    set("copy_indexed." + std::to_string(bytes) + ".f64.gops", rate);
  // What 50 GB/s bring of 10 bytes each, reads hidden behind them, as far as they are faster.
  for (const int bytes : {4096, 262144})
    set("gather_streams." + std::to_string(bytes) + ".f64.gops", 5);
  for (const char *window : {"64", "16384", "all"})
    set(std::string("gather_alone.memory.") + window + ".f64.gops", 2);
  for (const char *kind : {"read", "read_ahead", "copy", "copy_stream"})
    set(std::string("memory.") + kind + ".f64.gbps", 50);
  for (const char *kind : {"read", "copy"})
    for (const auto &[bytes, rate] : {std::pair{16384, 800.0}, {262144, 200.0}, {4194304, 100.0}})
      set("cache." + std::string(kind) + "." + std::to_string(bytes) + ".gbps", rate);
  set("latency.finish.us", 10);
  return machine;
}

// A million rows of 56 bytes read and 8 written.
NeighbourSum rows() {
  NeighbourSum sum;
  sum.cells = 1e6;
  sum.bytes_read = 56;
  sum.bytes_written = 8;
  sum.streams = true;
  sum.block_cells = 64;
  return sum;
}

TEST(CacheModel, StreamsAloneTakeTheirBytes) {
  const CachePrediction p = predict_neighbour_sum(rows(), machine_info, round_figures());
  EXPECT_NEAR(p.memory, 1e6 * 64 / 50e9, 1e-9);
  EXPECT_NEAR(p.seconds, p.memory + 10e-6, 1e-9);
  EXPECT_EQ(p.bound(), "memory");
}

// Reads of the first cache run beside the streams until they take longer.
TEST(CacheModel, ReadsOfTheFirstCacheHideBehindTheStreams) {
  NeighbourSum sum = rows();
  sum.reuse.neighbours[1] = 4;
  const CachePrediction few = predict_neighbour_sum(sum, machine_info, round_figures());
  EXPECT_NEAR(few.reads, 1e6 * 4 / 8e9, 1e-9);
  EXPECT_EQ(few.caches, 0);
  EXPECT_NEAR(few.seconds, few.memory + 10e-6, 1e-9);
  sum.reuse.neighbours[1] = 40;
  const CachePrediction many = predict_neighbour_sum(sum, machine_info, round_figures());
  EXPECT_NEAR(many.seconds, many.reads + 10e-6, 1e-9);
  EXPECT_EQ(many.bound(), "reads");
}

// The longer ago a line was read, the farther it is.
TEST(CacheModel, FartherReadsTakeLonger) {
  double before = 0;
  for (int bin = 0; bin < 24; ++bin) {
    NeighbourSum sum = rows();
    sum.reuse.neighbours[bin] = 4;
    const CachePrediction p = predict_neighbour_sum(sum, machine_info, round_figures());
    EXPECT_GE(p.seconds, before) << bin;
    before = p.seconds;
  }
  // 4 reads at the rate of a set that no cache holds.
  EXPECT_NEAR(before, 1e6 * (64 / 50e9 + 4 / 0.25e9) + 10e-6, 0.05 * before);
}

// A set that is more than half a core's share of the last cache, 4 MiB, lies in it once for both
// cores: half of it each, and never less than what only the last cache holds.
TEST(CacheModel, CoresShareWhatLiesInTheLastCache) {
  const auto waits = [](int bin, const DeviceInfo &info) {
    NeighbourSum sum = rows();
    sum.reuse.neighbours[bin] = 4;
    return predict_neighbour_sum(sum, info, round_figures()).caches;
  };
  const auto set = [](int bin) { // 48 bytes and 4 lines a cell go by
    return LineReuse::cells_of(bin) * (48 + 4 * 64) / (1 - std::exp(-1.0));
  };
  const double half_share = 1 << 22;
  ASSERT_GT(set(14), half_share);
  ASSERT_LT(set(14), 2 * half_share);
  EXPECT_NEAR(waits(14, machine_info), 1e6 * 4 / 1e9, 1e-9);
  ASSERT_GT(set(15), 2 * half_share);
  // From there the rate falls with the root of the size.
  const double far = 1e6 * 4 / 1e9 * std::sqrt(set(15) / 2 / half_share);
  EXPECT_NEAR(waits(15, machine_info), far, 1e-9);
  // A core of 1 MiB of its own finds less of the shared set there than of the one measured.
  DeviceInfo known = machine_info;
  known.core_cache_bytes = 1 << 20;
  const double core = 1 << 20;
  EXPECT_NEAR(waits(14, known), 1e6 * 4 / 1e9 * (1 - core / set(14)) / (1 - core / half_share),
              1e-9);
  EXPECT_NEAR(waits(15, known), far * (1 - core / set(15)) / (1 - 2 * core / set(15)), 1e-9);
  // What is more than four times as large as that is shared.
  known.core_cache_bytes = 1 << 19;
  ASSERT_GT(set(13), 4 << 19);
  EXPECT_LT(waits(13, known), waits(13, machine_info));
  // Or what is more than the core's own and half its share.
  known.core_cache_bytes = 1 << 21;
  const double own = half_share + 2 * core;
  ASSERT_LT(set(15), 2 * own);
  EXPECT_NEAR(waits(15, known),
              1e6 * 4 / 1e9 * std::sqrt(own / half_share) * (1 - 2 * core / set(15)) /
                  (1 - 2 * core / own),
              1e-9);
}

TEST(CacheModel, FirstReadsWaitForMemory) {
  NeighbourSum sum = rows();
  sum.reuse.first_neighbours = 1.0 / 8;
  const CachePrediction p = predict_neighbour_sum(sum, machine_info, round_figures());
  // One read a real of the windows' rate, less that of a cache and the bytes' own way.
  EXPECT_NEAR(p.first, 1e6 * (1 / 2e9 - 1 / 8e9 - 8 / 50e9), 1e-9);
  EXPECT_NEAR(p.seconds, p.memory + p.first + 10e-6, 1e-9);
}

TEST(CacheModel, StagesAreFilledBeforeTheyAreRead) {
  NeighbourSum sum = rows();
  sum.stage_bytes = 16384;
  sum.stage_reuse.neighbours[1] = 4;
  sum.copied = 2;
  sum.copied_by_index = 1;
  const CachePrediction p = predict_neighbour_sum(sum, machine_info, round_figures());
  EXPECT_NEAR(p.reads, 1e6 * 4 / 8e9, 1e-9);
  EXPECT_NEAR(p.copies, 1e6 * (1 / 4e9 + 16 / 800e9), 1e-9);
  // The list of what is copied, 4 bytes a cell, comes meanwhile.
  EXPECT_NEAR(p.seconds, p.memory - 1e6 * 4 / 50e9 + p.copies + 10e-6, 1e-9);
  // A line of eight entries is new: it takes longer than entries of lines that are there, and than
  // its bytes, which are counted.
  sum.reuse.first_neighbours = 1.0 / 8;
  const CachePrediction fresh = predict_neighbour_sum(sum, machine_info, round_figures());
  EXPECT_NEAR(fresh.first, 1e6 / 8 * (1 / 0.5e9 - 1 / 4e9 - 64 / 50e9), 1e-9);
  EXPECT_NEAR(fresh.seconds - p.seconds, fresh.first, 1e-9);
}

// Reads take 0.125 ns each, streams 1.28 ns for four of them: as much of the shorter is not hidden
// as both together take longer than the longer where 0.2 ns go by with each.
TEST(CacheModel, ReadsOfAStageHideBehindTheStreamsAsFarAsMeasured) {
  NeighbourSum sum = rows();
  sum.stage_bytes = 16384;
  sum.stage_reuse.neighbours[1] = 4;
  MachineFigures figures = round_figures();
  EXPECT_EQ(predict_neighbour_sum(sum, machine_info, figures).beside, 0);
  for (const auto &[both, fraction] : {std::pair{0.25, 0.4}, {0.3, 0.8}, {1.0, 1.0}}) {
    for (const int bytes : {4096, 262144}) {
      const double rate = 1 / both;
      figures.figures["gather_streams." + std::to_string(bytes) + ".f64.gops"] = {rate, rate, rate};
    }
    const CachePrediction p = predict_neighbour_sum(sum, machine_info, figures);
    EXPECT_NEAR(p.beside, fraction * p.reads, 1e-9) << both;
    EXPECT_NEAR(p.seconds, p.memory + p.beside + p.copies + 10e-6, 1e-9) << both;
    // Many reads are longer than all that streams by.
    NeighbourSum many = sum;
    many.stage_reuse.neighbours[1] = 40;
    const CachePrediction q = predict_neighbour_sum(many, machine_info, figures);
    EXPECT_NEAR(q.beside, fraction * q.memory, 1e-9) << both;
  }
}

// A stage that is read near by is read as the first cache; one that is read all over as a set of
// its size and of the 48 bytes a cell that go by between two reads of a line.
TEST(CacheModel, ReadsOfAStageAreAsFarAsTheirLines) {
  NeighbourSum sum = rows();
  sum.stage_bytes = 262144;
  sum.stage_reuse.neighbours[1] = 4;
  EXPECT_NEAR(predict_neighbour_sum(sum, machine_info, round_figures()).reads, 1e6 * 4 / 8e9, 1e-9);
  sum.stage_reuse.neighbours = {};
  sum.stage_reuse.neighbours[10] = 4; // 3072 lines, 1 - 1/e of more than there are
  const double streamed = LineReuse::cells_of(10) * 48 / (1 - std::exp(-1.0));
  // The rate falls with the root of the size.
  EXPECT_NEAR(predict_neighbour_sum(sum, machine_info, round_figures()).reads,
              1e6 * 4 / 4e9 * std::sqrt(1 + streamed / 262144), 1e-9);
  sum.stage_reuse.neighbours = {};
  sum.stage_reuse.first_neighbours = 4; // since they were copied the whole stage was
  EXPECT_NEAR(predict_neighbour_sum(sum, machine_info, round_figures()).reads, 1e6 * 4 / 4e9, 1e-9);
}

// What takes little longer than the first cache hides, what takes more than twice as long does not.
TEST(CacheModel, NearReadsHideInPart) {
  NeighbourSum sum = rows();
  sum.reuse.neighbours[8] = 4; // about 190 cells ago
  const CachePrediction p = predict_neighbour_sum(sum, machine_info, round_figures());
  EXPECT_GT(p.caches, 0);
  EXPECT_LT(p.caches, p.reads);
  EXPECT_NEAR(p.seconds, p.memory + p.caches + 10e-6, 1e-9);
}

// The examples of Langguth, Wu, Chai, Cai 2013: ratios of 2 and 5 between its bandwidths.
TEST(CacheModel, BreakEvenOfThePaper) {
  EXPECT_DOUBLE_EQ(break_even_lines(64, 32, 200, 100), 4);
  EXPECT_DOUBLE_EQ(break_even_lines(64, 32, 500, 100), 10);
  // Half of 16 MiB, a half for each of two cores: 100 GB/s.
  EXPECT_NEAR(last_cache_gbps(machine_info, round_figures()), 100, 1e-6);
  EXPECT_EQ(last_cache_gbps({.compute_units = 2}, round_figures()), 0);
}

} // namespace
} // namespace weft
