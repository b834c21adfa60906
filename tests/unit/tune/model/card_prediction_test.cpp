// Times on a card with round figures, by hand.
#include "tune/model/card_prediction.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

Card round_card() {
  Card card;
  card.name = "a card";
  card.units = 10;
  card.clock_ghz = 1;
  card.memory_gb = 1;
  card.memory_gbps = 100;
  card.cache_mb = 1;
  card.cache_gbps = 200;
  card.memory_latency_s = 1e-6;
  card.f64_gflops = 50;
  card.f32_gflops = 100;
  card.limits.warps = 32;
  return card;
}

double part(const CardPrediction &p, CardLimit limit) {
  for (const auto &[which, seconds] : p.parts)
    if (which == limit)
      return seconds;
  ADD_FAILURE() << to_string(limit) << " is no part";
  return 0;
}

bool has(const CardPrediction &p, CardLimit limit) {
  return std::any_of(p.parts.begin(), p.parts.end(),
                     [&](const auto &part) { return part.first == limit; });
}

TEST(CardPrediction, BytesAndSectorsTakeTheirBandwidths) {
  KernelCost cost;
  cost.bytes_read = 6e6;
  cost.bytes_written = 4e6;
  LaunchUse use{.groups = 100, .group_size = 64, .warps = WarpCounts{.sectors_read = 1e6}};
  const CardPrediction p = predict_on_card(round_card(), cost, &use);
  EXPECT_DOUBLE_EQ(part(p, CardLimit::memory), 1e7 / 100e9);
  EXPECT_DOUBLE_EQ(part(p, CardLimit::cache), 32e6 / 200e9);
  EXPECT_EQ(p.bound(), CardLimit::cache);
  EXPECT_DOUBLE_EQ(p.seconds, 32e6 / 200e9 + card_launch_s);
}

TEST(CardPrediction, WhatTheCacheHoldsDoesNotComeFromMemory) {
  KernelCost cost;
  cost.bytes_read = 8e6;
  cost.near_bytes = {{19, 2e6}, {24, 3e6}}; // 2^24 bytes are more than it holds
  EXPECT_DOUBLE_EQ(part(predict_on_card(round_card(), cost, nullptr), CardLimit::memory),
                   6e6 / 100e9);
}

TEST(CardPrediction, OperationsTakeTheRateOfTheirPrecision) {
  KernelCost cost;
  cost.operations.multiply_adds = 1e6;
  cost.operations.additions = 2e6;
  cost.operations.divisions = 1e5;
  cost.operations.functions["exp"] = 1e4;
  const double slots = 3e6 + 10 * 1e5 + 25 * 1e4;
  EXPECT_DOUBLE_EQ(slots_of(cost.operations), slots);
  LaunchUse use;
  EXPECT_DOUBLE_EQ(part(predict_on_card(round_card(), cost, &use), CardLimit::arithmetic),
                   2 * slots / 50e9);
  use.precision = Precision::f32;
  EXPECT_DOUBLE_EQ(part(predict_on_card(round_card(), cost, &use), CardLimit::arithmetic),
                   2 * slots / 100e9);
}

TEST(CardPrediction, LocalMemoryTakesAPassForEachWordAndConflict) {
  LaunchUse use{.groups = 1,
                .group_size = 64,
                .warps = WarpCounts{.local_requests = 1e6, .bank_conflicts = 5e5}};
  EXPECT_DOUBLE_EQ(part(predict_on_card(round_card(), {}, &use), CardLimit::local),
                   (2e6 + 5e5) / 1e10);
  use.precision = Precision::f32;
  EXPECT_DOUBLE_EQ(part(predict_on_card(round_card(), {}, &use), CardLimit::local),
                   (1e6 + 5e5) / 1e10);
}

TEST(CardPrediction, FewerThreadsAtOnceWaitLonger) {
  LaunchUse use{.groups = 1000, .group_size = 64, .warps = WarpCounts{.load_phases = 32000}};
  // 320 warps are there at once: 100 times one latency.
  EXPECT_DOUBLE_EQ(part(predict_on_card(round_card(), {}, &use), CardLimit::latency), 100e-6);
  use.occupancy = 0.25;
  EXPECT_DOUBLE_EQ(part(predict_on_card(round_card(), {}, &use), CardLimit::latency), 400e-6);
}

TEST(CardPrediction, WhatIsNotPublishedIsNoPart) {
  Card card = round_card();
  card.cache_gbps = card.memory_latency_s = 0;
  const LaunchUse use{.groups = 1, .group_size = 32, .warps = WarpCounts{.load_phases = 1}};
  const CardPrediction p = predict_on_card(card, {}, &use);
  EXPECT_FALSE(has(p, CardLimit::cache));
  EXPECT_FALSE(has(p, CardLimit::latency));
  EXPECT_TRUE(has(p, CardLimit::local));
  EXPECT_FALSE(has(predict_on_card(round_card(), {}, nullptr), CardLimit::local));
}

TEST(CardPrediction, NoArithmeticInF64IsAnError) {
  Card card = round_card();
  card.f64_gflops = 0;
  const LaunchUse use{.precision = Precision::f64};
  EXPECT_THROW(predict_on_card(card, {}, &use), Error);
}

// 2 flops a multiply-add of each of the units' lanes: a slip in a row of figures shows.
TEST(Cards, FiguresAreThoseOfWholeNumbersOfLanes) {
  for (const Card &card : cards()) {
    SCOPED_TRACE(card.key);
    const double lanes = card.f32_gflops / (2 * card.units * card.clock_ghz);
    EXPECT_NEAR(lanes, std::round(lanes), 0.02 * lanes);
    EXPECT_GE(card.f32_gflops, card.f64_gflops);
    EXPECT_GT(card.memory_gbps, 50);
    EXPECT_FALSE(card.sources.empty());
    EXPECT_EQ(find_card(card.key, "a test").name, card.name);
  }
}

} // namespace
} // namespace weft
