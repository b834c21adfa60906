// The space of a conservation law's stage, its predictions, and searches on a device.
#include "op/law/dg_tuning.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "support/build_only_device.h"
#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {
namespace {

DeviceInfo stage_device(bool is_cpu) {
  DeviceInfo info;
  info.backend = "opencl";
  info.identity = "processor";
  info.is_cpu = is_cpu;
  info.compute_units = 2;
  info.native_lanes_f64 = is_cpu ? 8 : 1;
  info.memory_bytes = std::uint64_t{8} << 30;
  info.local_memory_bytes = 48 << 10;
  info.last_cache_bytes = 1 << 20;
  info.max_work_group = 64;
  return info;
}

std::string stage_text(const std::string &cell, int order, const std::string &speed = "3") {
  const bool flat = cell == "triangle" || cell == "quadrilateral";
  return "[mesh]\nbox = { cells = " + std::string(flat ? "[6, 5]" : "[3, 2, 2]") + ", cell = \"" +
         cell + "\", distort = 0.1 }\n[fields]\nu = { element = \"DG" + std::to_string(order) +
         "\" }\nv = { element = \"DG" + std::to_string(order) +
         "\" }\n[conservation_law]\nflux.u = "
         "\"v*identity[0]\"\nflux.v = \"" +
         speed + "*u*identity[0]\"\nwave_speed = \"" + speed +
         "\"\n[boundary.all]\nouter = { u = 0, v = \"v\" }\n[time]\nend = 1.0\ncfl = 0.5\n";
}

// Fewer bytes are faster.
DgTuningOptions stage_options() {
  DgTuningOptions options;
  options.model = [](const std::vector<NamedCost> &costs) {
    double bytes = 0;
    for (const NamedCost &cost : costs)
      bytes += cost.cost.bytes();
    return 1e-10 * bytes;
  };
  return options;
}

TEST(DgTuning, VariantsAreSettingsAndBack) {
  const DiscreteProblem problem(stage_text("tetrahedron", 2));
  for (const bool is_cpu : {true, false}) {
    BuildOnlyDevice device(stage_device(is_cpu));
    DgTuning tuning(device, problem.d, stage_options());
    const std::vector<Variant> all = candidates(tuning.space());
    EXPECT_GT(all.size(), 100u);
    for (const Variant &variant : all)
      ASSERT_EQ(variant_of(dg_settings_of(variant, {}), is_cpu), variant);
    const Variant usual = tuning.default_variant().value();
    EXPECT_NE(std::find(all.begin(), all.end(), usual), all.end()) << to_string(usual);
    EXPECT_EQ(usual.value("kernels"), is_cpu ? "fused" : "nodes");
    // Ten nodes: 64 work-items hold six cells.
    EXPECT_TRUE(std::none_of(all.begin(), all.end(), [](const Variant &variant) {
      return variant.number("parallel", 0) > 6;
    }));
  }
}

TEST(DgTuning, WhatIsChosenByDefaultIsWhatTheOperatorChooses) {
  for (const char *cell : {"triangle", "hexahedron"}) {
    const DiscreteProblem problem(stage_text(cell, 3));
    BuildOnlyDevice device(stage_device(true));
    DgTuning tuning(device, problem.d, stage_options());
    const LawRates open(device, problem.d, {});
    const LawRates chosen(device, problem.d, dg_settings_of(*tuning.default_variant(), {}));
    EXPECT_EQ(open.spec(0).rows, chosen.spec(0).rows);
    EXPECT_EQ(open.spec(0).lanes, chosen.spec(0).lanes);
    EXPECT_EQ(open.spec(0).groups_per_item, chosen.spec(0).groups_per_item);
    EXPECT_EQ(open.spec(0).stream, chosen.spec(0).stream);
    EXPECT_EQ(open.spec(0).ahead, chosen.spec(0).ahead);
  }
}

TEST(DgTuning, SeparateKernelsMoveMore) {
  const DiscreteProblem problem(stage_text("tetrahedron", 3));
  BuildOnlyDevice device(stage_device(true));
  DgTuning tuning(device, problem.d, stage_options());
  Variant variant = tuning.default_variant().value();
  const double fused = tuning.predict(variant);
  variant.choices.front().second = "separate";
  EXPECT_GT(tuning.predict(variant), 1.5 * fused);
}

TEST(DgTuning, TheKeySaysWhatTextsAreTheSame) {
  BuildOnlyDevice device(stage_device(true));
  const auto key = [&](const std::string &text, Precision precision = Precision::f64) {
    const DiscreteProblem problem(text);
    DgTuningOptions options = stage_options();
    options.base.precision = precision;
    return DgTuning(device, problem.d, options).key();
  };
  const TuningKey one = key(stage_text("triangle", 2));
  EXPECT_EQ(one.kernel, "dg_stage");
  EXPECT_EQ(one.size_class, "5"); // 60 cells
  EXPECT_FALSE(one.generator.empty());
  EXPECT_EQ(key(stage_text("triangle", 2, "7")).problem, one.problem);
  EXPECT_NE(key(stage_text("triangle", 2, "u")).problem, one.problem);
  EXPECT_NE(key(stage_text("triangle", 3)).problem, one.problem);
  EXPECT_NE(key(stage_text("quadrilateral", 2)).problem, one.problem);
  EXPECT_NE(key(stage_text("triangle", 2), Precision::f32).problem, one.problem);
}

TEST(DgTuning, ASearchFindsAVariantThatIsRight) {
  const DiscreteProblem problem(stage_text("tetrahedron", 2));
  DgTuning tuning(test_device(), problem.d, stage_options());
  const TuningOutcome outcome = tune(tuning, {.budget_s = 0.5, .ranked = 2, .random = 1});
  ASSERT_TRUE(outcome.best);
  check_variant(tuning.space(), *outcome.best, "test");
  EXPECT_GT(outcome.best_s, 0);
  for (const TrialRecord &trial : outcome.trials)
    EXPECT_EQ(trial.rejected, "") << to_string(trial.variant);
}

// A thread that is a node of finite volumes is one that is a cell.
TEST(DgTuning, FiniteVolumesAreFusedOrNot) {
  std::string text = stage_text("tetrahedron", 0);
  for (std::size_t at; (at = text.find("DG0")) != std::string::npos;)
    text.replace(at, 3, "FV");
  const DiscreteProblem problem(text);
  BuildOnlyDevice gpu(stage_device(false));
  DgTuning of_gpu(gpu, problem.d, stage_options());
  for (const Variant &variant : candidates(of_gpu.space()))
    EXPECT_NE(variant.value("kernels"), "nodes");
  EXPECT_EQ(of_gpu.default_variant()->value("kernels"), "fused");

  DgTuning tuning(test_device(), problem.d, stage_options());
  Variant separate = tuning.default_variant().value();
  separate.choices.front().second = "separate";
  EXPECT_GT(tuning.predict(separate), 1.1 * tuning.predict(tuning.default_variant().value()));
  for (const Variant &variant : {separate, tuning.default_variant().value()})
    EXPECT_EQ(tuning.compare(tuning.change(tuning.shared(variant))), std::nullopt);
}

TEST(DgTuning, OneWrongRateIsSeen) {
  const DiscreteProblem problem(stage_text("triangle", 2));
  DgTuning tuning(test_device(), problem.d, stage_options());
  std::vector<double> change = tuning.change(tuning.shared(tuning.default_variant().value()));
  EXPECT_EQ(tuning.compare(change), std::nullopt);
  for (const std::size_t dof : {std::size_t{0}, change.size() / 2, change.size() - 1}) {
    const double right = change[dof];
    for (const double wrong : {right + 1e-4, std::nan("")}) {
      change[dof] = wrong;
      const auto reason = tuning.compare(change);
      ASSERT_TRUE(reason);
      EXPECT_NE(reason->find("by the reference loops"), std::string::npos) << *reason;
    }
    change[dof] = right;
  }
}

} // namespace
} // namespace weft
