// The search against targets whose true times are known and whose clock is part of the test.
#include "tune/search/tuner.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "base/error.h"

namespace weft {
namespace {

// Kernels "a=0", "a=1", ...: true and predicted seconds, noise and what is wrong with some.
struct Synthetic : TuningTarget {
  struct Kernel {
    double seconds = 0;
    double predicted_s = 0;
  };
  std::vector<Kernel> kernels;
  double noise = 0; // relative standard deviation of a timing
  double drift = 0; // the machine is so much slower in every other tenth of a second
  double prepare_s = 0.1;
  std::map<int, std::string> prepare_fails, run_fails, wrong;
  std::optional<int> usual;
  std::mt19937_64 generator{7};
  double now = 0;
  int alive = 0, most_alive = 0;
  std::vector<int> prepared, validated;

  explicit Synthetic(std::vector<Kernel> all) : kernels(std::move(all)) {}

  static Variant variant(int k) { return {{{"a", std::to_string(k)}}}; }
  static int index(const Variant &v) { return v.number("a", -1); }

  SearchSpace space() override {
    SearchSpace space{.kernel = "synthetic", .parameters = {{"a", {}}}};
    for (std::size_t k = 0; k < kernels.size(); ++k)
      space.parameters[0].values.push_back(std::to_string(k));
    return space;
  }
  std::optional<Variant> default_variant() override {
    return usual ? std::optional(variant(*usual)) : std::nullopt;
  }
  double predict(const Variant &v) override { return kernels[index(v)].predicted_s; }

  struct Trial : TuningTrial {
    Synthetic &owner;
    int k;
    Trial(Synthetic &owner, int k) : owner(owner), k(k) {
      owner.most_alive = std::max(owner.most_alive, ++owner.alive);
    }
    ~Trial() override { --owner.alive; }
    double run() override {
      if (owner.run_fails.count(k))
        throw Error(ErrorKind::system, {.what = owner.run_fails.at(k)});
      std::normal_distribution<double> normal(1, owner.noise);
      const bool slow = static_cast<std::int64_t>(owner.now / 0.1) % 2 == 1;
      const double seconds = owner.kernels[k].seconds * std::max(0.5, normal(owner.generator)) *
                             (slow ? 1 + owner.drift : 1);
      owner.now += seconds;
      return seconds;
    }
    std::optional<std::string> validate() override {
      owner.validated.push_back(k);
      const auto found = owner.wrong.find(k);
      return found == owner.wrong.end() ? std::nullopt : std::optional(found->second);
    }
  };
  std::unique_ptr<TuningTrial> prepare(const Variant &v) override {
    now += prepare_s;
    prepared.push_back(index(v));
    if (prepare_fails.count(index(v)))
      throw Error(ErrorKind::unsupported, {.what = prepare_fails.at(index(v))});
    return std::make_unique<Trial>(*this, index(v));
  }
  TuningOutcome search(TunerOptions options = {}) {
    options.clock = [this] { return now; };
    return tune(*this, options);
  }
};

// 30 kernels; the model is right but for a factor between 1/1.3 and 1.3.
Synthetic thirty(std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> factor(-1, 1);
  std::vector<Synthetic::Kernel> kernels;
  for (int k = 0; k < 30; ++k) {
    const double seconds = 1e-3 * (1 + 0.1 * ((k * 7) % 30));
    kernels.push_back({seconds, seconds * std::pow(1.3, factor(generator))});
  }
  return Synthetic(kernels);
}

const TrialRecord &trial_of(const TuningOutcome &outcome, int k) {
  for (const TrialRecord &trial : outcome.trials)
    if (trial.variant == Synthetic::variant(k))
      return trial;
  throw std::runtime_error("kernel " + std::to_string(k) + " was not tried");
}

TEST(Tuner, FindsTheBestOfWhatItTimedWithinNoise) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Synthetic target = thirty(seed);
    target.noise = 0.05;
    target.generator.seed(seed);
    const TuningOutcome outcome = target.search({.seed = seed});
    ASSERT_TRUE(outcome.best);
    double fastest = 1;
    for (const TrialRecord &trial : outcome.trials)
      fastest = std::min(fastest, target.kernels[Synthetic::index(trial.variant)].seconds);
    // Ties within 2%, and the error of a median of 7 timings with 5% noise.
    EXPECT_LE(target.kernels[Synthetic::index(*outcome.best)].seconds, 1.06 * fastest);
    EXPECT_TRUE(trial_of(outcome, Synthetic::index(*outcome.best)).validated);
    EXPECT_TRUE(outcome.settled);
    EXPECT_EQ(outcome.num_candidates, 30);
    EXPECT_EQ(outcome.trials.size(), 10u);
    EXPECT_EQ(target.alive, 0);
  }
}

TEST(Tuner, TheSameSearchTwicePicksVariantsWithinNoise) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    double picked[2];
    for (int repeat = 0; repeat < 2; ++repeat) {
      Synthetic target = thirty(seed);
      target.noise = 0.05;
      target.generator.seed(100 * seed + repeat);
      picked[repeat] = target.kernels[Synthetic::index(*target.search().best)].seconds;
    }
    EXPECT_LE(std::max(picked[0], picked[1]), 1.06 * std::min(picked[0], picked[1]));
  }
}

TEST(Tuner, DriftOfTheMachineDoesNotDecide) {
  // Everything takes twice as long for a tenth of a second, then not, and so on.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Synthetic target({{1.0e-3, 1.3e-3}, {1.15e-3, 1.0e-3}, {1.2e-3, 1.1e-3}, {1.25e-3, 1.2e-3}});
    target.noise = 0.03;
    target.drift = 1;
    target.generator.seed(seed);
    const TuningOutcome outcome = target.search();
    EXPECT_EQ(outcome.best, Synthetic::variant(0));
    EXPECT_NEAR(outcome.first_choice_ratio, 1.15, 0.06);
  }
}

TEST(Tuner, TheModelsBestAreTimedAndOthersByTheSeed) {
  const auto prepared = [](std::uint64_t seed) {
    Synthetic target = thirty(3);
    target.search({.ranked = 4, .random = 3, .seed = seed});
    return target.prepared;
  };
  Synthetic target = thirty(3);
  const std::vector<RankedVariant> ranked = rank_candidates(target);
  const std::vector<int> one = prepared(1);
  ASSERT_EQ(one.size(), 7u);
  for (int r = 0; r < 4; ++r)
    EXPECT_EQ(one[r], Synthetic::index(ranked[r].variant));
  EXPECT_EQ(one, prepared(1));
  EXPECT_NE(one, prepared(2));
  EXPECT_EQ(std::set<int>(one.begin(), one.end()).size(), 7u);
}

TEST(Tuner, OfWhatTheModelCanNotTellApartTheDefaultComesFirst) {
  Synthetic target({{1e-3, 1.00e-3}, {1e-3, 1.03e-3}, {1e-3, 1.01e-3}, {1e-3, 1.005e-3}});
  const auto order = [&] {
    std::vector<int> indices;
    for (const RankedVariant &ranked : rank_candidates(target))
      indices.push_back(Synthetic::index(ranked.variant));
    return indices;
  };
  EXPECT_EQ(order(), (std::vector<int>{0, 3, 2, 1}));
  target.usual = 2;
  EXPECT_EQ(order(), (std::vector<int>{2, 0, 3, 1}));
  target.usual = 1; // 3% is a difference
  EXPECT_EQ(order(), (std::vector<int>{0, 3, 2, 1}));
}

TEST(Tuner, EveryCandidateIsTimedWhereTheyAreFew) {
  Synthetic target({{2e-3, 1e-3}, {1e-3, 2e-3}, {3e-3, 3e-3}});
  const TuningOutcome outcome = target.search();
  EXPECT_EQ(outcome.trials.size(), 3u);
  EXPECT_EQ(outcome.best, Synthetic::variant(1));
  EXPECT_EQ(outcome.first_choice, Synthetic::variant(0));
  EXPECT_DOUBLE_EQ(outcome.best_s, 1e-3);
  EXPECT_DOUBLE_EQ(outcome.predicted_s, 2e-3);
  EXPECT_DOUBLE_EQ(outcome.first_choice_s, 2e-3);
  EXPECT_DOUBLE_EQ(outcome.first_choice_ratio, 2);
  EXPECT_DOUBLE_EQ(trial_of(outcome, 1).ratio, 1);
  EXPECT_DOUBLE_EQ(trial_of(outcome, 2).ratio, 3);
  EXPECT_EQ(trial_of(outcome, 0).rank, 0);
  EXPECT_EQ(trial_of(outcome, 2).rank, 2);
}

TEST(Tuner, WhatIsUsedByDefaultIsTimedToo) {
  Synthetic target = thirty(3);
  int slowest = 0;
  for (int k = 1; k < 30; ++k)
    if (target.kernels[k].predicted_s > target.kernels[slowest].predicted_s)
      slowest = k;
  target.usual = slowest;
  const TuningOutcome outcome = target.search({.random = 0});
  EXPECT_EQ(target.prepared[1], slowest);
  EXPECT_GE(trial_of(outcome, slowest).seconds.size(), 3u);
}

TEST(Tuner, AWrongKernelIsRejectedHoweverFast) {
  // Rank of the wrong one by the model: first, middle, last.
  for (const int rank : {0, 3, 9}) {
    std::vector<Synthetic::Kernel> kernels;
    for (int k = 0; k < 10; ++k)
      kernels.push_back({1e-3 * (1 + 0.1 * k), 1e-3 * (k + 1)});
    kernels[9].seconds = 1e-5;
    kernels[9].predicted_s = 1e-3 * (rank + 0.5);
    Synthetic target(kernels);
    target.noise = 0.02;
    target.wrong[9] = "entry 5 is 1 and should be 2";
    const TuningOutcome outcome = target.search();
    EXPECT_EQ(outcome.best, Synthetic::variant(0)) << to_string(*outcome.best);
    EXPECT_EQ(trial_of(outcome, 9).rejected, "entry 5 is 1 and should be 2");
    EXPECT_FALSE(trial_of(outcome, 9).validated);
    EXPECT_GE(trial_of(outcome, 9).seconds.size(), 3u);
    // Those that were near the best were not given up for the sake of the wrong one.
    EXPECT_GE(trial_of(outcome, 1).seconds.size(), 7u);
  }
}

TEST(Tuner, AllWrongLeavesNoBest) {
  Synthetic target({{1e-3, 1e-3}, {2e-3, 2e-3}});
  target.wrong = {{0, "zero"}, {1, "NaN"}};
  const TuningOutcome outcome = target.search();
  EXPECT_FALSE(outcome.best);
  EXPECT_FALSE(outcome.settled);
  EXPECT_EQ(outcome.best_s, 0);
  EXPECT_EQ(trial_of(outcome, 0).rejected, "zero");
  EXPECT_EQ(trial_of(outcome, 1).rejected, "NaN");
}

TEST(Tuner, OnlyWhatBecomesTheBestIsValidated) {
  std::vector<Synthetic::Kernel> kernels;
  for (int k = 0; k < 10; ++k)
    kernels.push_back({1e-3 * (k + 1), 1e-3 * (k + 1)});
  Synthetic target(kernels);
  target.search();
  EXPECT_EQ(target.validated, std::vector<int>{0});
}

TEST(Tuner, WhatCanNotBeMadeOrRunIsKeptWithTheReason) {
  Synthetic target({{1e-3, 1e-3}, {2e-3, 2e-3}, {3e-3, 3e-3}});
  target.prepare_fails[0] = "no room for 10 GB";
  target.run_fails[1] = "the device was lost";
  const TuningOutcome outcome = target.search();
  EXPECT_EQ(outcome.best, Synthetic::variant(2));
  EXPECT_EQ(outcome.first_choice, Synthetic::variant(0));
  EXPECT_EQ(outcome.first_choice_s, 0);
  EXPECT_EQ(outcome.first_choice_ratio, 0);
  EXPECT_TRUE(trial_of(outcome, 0).seconds.empty());
  EXPECT_EQ(trial_of(outcome, 0).rejected, "not supported: no room for 10 GB");
  EXPECT_EQ(trial_of(outcome, 1).rejected, "the device was lost");
}

TEST(Tuner, TheBudgetHoldsPreparingAndTiming) {
  for (const double noise : {0.0, 0.3}) {
    Synthetic target = thirty(4);
    for (Synthetic::Kernel &kernel : target.kernels)
      kernel = {20 * kernel.seconds, 20 * kernel.predicted_s};
    target.noise = noise;
    target.prepare_s = 0.5;
    const TuningOutcome outcome = target.search({.budget_s = 3, .random = 20});
    // At most one preparing and one round too many.
    EXPECT_LE(outcome.spent_s, 3 + 0.5 + 0.8);
    EXPECT_DOUBLE_EQ(outcome.spent_s, target.now);
    EXPECT_LT(outcome.trials.size(), 6u);
    EXPECT_TRUE(outcome.best);
  }
}

// Without an end to the budget every candidate is tried, and each is named before it is prepared.
TEST(Tuner, AnEndlessBudgetTriesAllAndNamesThemAhead) {
  Synthetic target = thirty(4);
  std::vector<int> named;
  std::vector<std::size_t> batches;
  TunerOptions options{.budget_s = std::numeric_limits<double>::infinity(), .random = 1000};
  options.ahead_batch = 8;
  options.ahead = [&](const std::vector<Variant> &next) {
    EXPECT_EQ(target.prepared.size(), named.size()); // all that were named before are done
    for (const Variant &variant : next)
      named.push_back(Synthetic::index(variant));
    batches.push_back(next.size());
  };
  const TuningOutcome outcome = target.search(options);
  EXPECT_EQ(outcome.trials.size(), target.kernels.size());
  EXPECT_EQ(named, target.prepared);
  EXPECT_EQ(std::set<int>(named.begin(), named.end()).size(), target.kernels.size());
  EXPECT_EQ(batches, (std::vector<std::size_t>{8, 8, 8, 6}));
}

TEST(Tuner, TheFirstChoiceIsTimedWithoutABudget) {
  Synthetic target = thirty(5);
  const TuningOutcome outcome = target.search({.budget_s = 0});
  ASSERT_EQ(outcome.trials.size(), 1u);
  EXPECT_EQ(outcome.best, outcome.first_choice);
  EXPECT_EQ(outcome.trials[0].seconds.size(), 1u);
  EXPECT_TRUE(outcome.trials[0].validated);
}

TEST(Tuner, TheDefaultIsTimedWithoutABudget) {
  Synthetic target({{2e-3, 1e-3}, {3e-3, 2e-3}, {1e-3, 3e-3}});
  target.usual = 2;
  const TuningOutcome outcome = target.search({.budget_s = 0});
  EXPECT_EQ(target.prepared, (std::vector<int>{0, 2}));
  EXPECT_EQ(outcome.best, Synthetic::variant(2));
}

TEST(Tuner, TiesAreSettled) {
  std::vector<Synthetic::Kernel> kernels(8, {1e-3, 1e-3});
  for (const double noise : {0.0, 0.02}) {
    Synthetic target(kernels);
    target.noise = noise;
    const TuningOutcome outcome = target.search();
    EXPECT_TRUE(outcome.settled);
    EXPECT_TRUE(outcome.best);
    EXPECT_EQ(outcome.first_choice, Synthetic::variant(0)); // of equal predictions the first
    EXPECT_LT(outcome.spent_s, 5);
  }
}

TEST(Tuner, MemoryOfSlowerOnesIsGivenBackAtOnce) {
  std::vector<Synthetic::Kernel> kernels;
  for (int k = 0; k < 10; ++k)
    kernels.push_back({1e-3 * (1 + k), 1e-3 * (1 + k)});
  Synthetic target(kernels);
  target.search();
  EXPECT_EQ(target.most_alive, 2);
}

TEST(Tuner, ASpaceWithoutCandidatesIsSaid) {
  struct Empty : Synthetic {
    Empty() : Synthetic({{1, 1}}) {}
    SearchSpace space() override {
      SearchSpace space = Synthetic::space();
      space.constraints = {{"pigs fly", [](const Variant &) { return false; }}};
      return space;
    }
  } target;
  try {
    target.search();
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_NE(std::string(error.what()).find("pigs fly"), std::string::npos);
  }
}

} // namespace
} // namespace weft
