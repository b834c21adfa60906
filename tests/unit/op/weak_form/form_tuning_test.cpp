// The space of a form's operator, its predictions, and searches on a device.
#include "op/weak_form/form_tuning.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "support/build_only_device.h"
#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {
namespace {

DeviceInfo named_cpu() {
  DeviceInfo info;
  info.backend = "opencl";
  info.name = "a processor";
  info.identity = "processor";
  info.driver = "driver 1";
  info.is_cpu = true;
  info.compute_units = 2;
  info.native_lanes_f64 = 8;
  info.memory_bytes = std::uint64_t{8} << 30;
  info.local_memory_bytes = 1 << 20;
  info.max_work_group = 4096;
  return info;
}

DeviceInfo named_gpu() {
  DeviceInfo info = named_cpu();
  info.is_cpu = false;
  info.compute_units = 80;
  info.native_lanes_f64 = 1;
  info.local_memory_bytes = 48 << 10;
  info.max_work_group = 1024;
  return info;
}

std::string text(const std::string &box, const std::string &element = "P1", int k = 3) {
  return "[mesh]\nbox = { " + box + ", distort = 0.1 }\n[parameters]\nk = " + std::to_string(k) +
         "\n[fields]\nu = { element = \"" + element +
         "\" }\n[weak_form]\ncells.all = \"(k + u^2)*inner(grad(u), grad(test(u))) - "
         "x*test(u)\"\nfacets.x0 = \"k*u*test(u)\"\n[dirichlet]\nx1.u = 1\n";
}
constexpr const char *triangles = "cells = [40, 40], cell = \"triangle\"";

// Fewer bytes are faster.
double bytes_of(const std::vector<NamedCost> &costs) {
  double bytes = 0;
  for (const NamedCost &cost : costs)
    bytes += cost.cost.bytes();
  return 1e-10 * bytes;
}

FormTuningOptions tuning_options(Variant fixed = {}) {
  return {
      .kind = IntegralKind::linearised, .base = {}, .fixed = fixed, .model = bytes_of, .state = {}};
}

std::vector<std::string> values(const std::vector<Variant> &all, const std::string &parameter) {
  std::vector<std::string> found;
  for (const Variant &variant : all)
    if (std::find(found.begin(), found.end(), variant.value(parameter)) == found.end())
      found.push_back(variant.value(parameter));
  std::sort(found.begin(), found.end());
  return found;
}

TEST(FormTuning, VariantsAreSettingsAndBack) {
  const DiscreteProblem problem(text(triangles));
  BuildOnlyDevice device(named_cpu());
  FormTuning tuning(device, problem.d, tuning_options());
  const std::vector<Variant> all = candidates(tuning.space());
  EXPECT_GT(all.size(), 50u);
  const FormIntegrals integrals(problem.d);
  for (const Variant &variant : all) {
    const OperatorSettings settings =
        with_choices(settings_of(variant, {}), integrals, device.info());
    EXPECT_EQ(variant_of(settings), variant);
    check_variant(tuning.space(), variant, "test");
  }
}

TEST(FormTuning, WhatIsChosenByDefaultIsACandidate) {
  for (const std::string element : {"P1", "P2", "P4"})
    for (const DeviceInfo &info : {named_cpu(), named_gpu()})
      for (const char *strategy : {"", "block", "cell", "transposed"}) {
        const DiscreteProblem problem(text(triangles, element));
        BuildOnlyDevice device(info);
        Variant fixed;
        if (*strategy)
          fixed.choices = {{"strategy", strategy}};
        FormTuning tuning(device, problem.d, tuning_options(fixed));
        const std::vector<Variant> all = candidates(tuning.space());
        if (all.empty()) { // P4 is too much for work-groups of transposition
          EXPECT_STREQ(strategy, "transposed");
          EXPECT_EQ(element, "P4");
          continue;
        }
        const Variant usual = tuning.default_variant().value();
        EXPECT_NE(std::find(all.begin(), all.end(), usual), all.end()) << to_string(usual);
        for (const Variant &variant : all)
          EXPECT_TRUE(!*strategy || variant.value("strategy") == strategy);
      }
}

TEST(FormTuning, TheSpaceFitsDeviceAndMesh) {
  const DiscreteProblem small(text("cells = [4, 4], cell = \"triangle\""));
  BuildOnlyDevice processor(named_cpu()), graphics(named_gpu());
  FormTuning tuning(processor, small.d, tuning_options());
  const std::vector<Variant> few = candidates(tuning.space());
  EXPECT_EQ(values(few, "leaves"), (std::vector<std::string>{"-", "1"})); // 32 cells, one leaf
  EXPECT_EQ(values(few, "lanes"), (std::vector<std::string>{"16", "4", "8"}));
  EXPECT_EQ(values(few, "groups_per_item"), (std::vector<std::string>{"-", "16", "256", "64"}));

  FormTuning on_gpu(graphics, small.d, tuning_options());
  EXPECT_EQ(values(candidates(on_gpu.space()), "lanes"), (std::vector<std::string>{"1"}));

  // A work-group of transposition holds lcm(35 rows, many points) work-items.
  const DiscreteProblem high(text("cells = [4, 4, 4], cell = \"hexahedron\"", "P4"));
  FormTuning of_high(processor, high.d, tuning_options());
  EXPECT_EQ(values(candidates(of_high.space()), "strategy"),
            (std::vector<std::string>{"block", "cell"}));
  FormTuning impossible(processor, high.d, tuning_options({{{"strategy", "transposed"}}}));
  EXPECT_TRUE(candidates(impossible.space()).empty());
}

TEST(FormTuning, GpusAloneSumByPlanesInOneStrategy) {
  const DiscreteProblem high(text("cells = [4, 4, 4], cell = \"hexahedron\"", "P4"));
  BuildOnlyDevice processor(named_cpu()), graphics(named_gpu());
  FormTuning on_cpu(processor, high.d, tuning_options()),
      on_gpu(graphics, high.d, tuning_options());
  EXPECT_EQ(values(candidates(on_cpu.space()), "sums"),
            (std::vector<std::string>{"lines", "points"}));
  std::vector<Variant> by_planes = candidates(on_gpu.space());
  std::erase_if(by_planes, [](const Variant &v) { return v.value("sums") != "planes"; });
  EXPECT_EQ(values(by_planes, "strategy"), std::vector<std::string>{"cell"});
  EXPECT_EQ(on_gpu.default_variant().value().value("sums"), "planes");
  const DiscreteProblem low(text("cells = [4, 4, 4], cell = \"hexahedron\"", "P1"));
  FormTuning of_low(graphics, low.d, tuning_options());
  EXPECT_EQ(of_low.default_variant().value().value("sums"), "points");
}

TEST(FormTuning, PredictionsDifferAndRank) {
  const DiscreteProblem problem(text(triangles));
  BuildOnlyDevice device(named_cpu());
  FormTuning tuning(device, problem.d, tuning_options());
  const std::vector<RankedVariant> ranked = rank_candidates(tuning);
  EXPECT_EQ(ranked.front().variant.value("strategy"), "block");
  EXPECT_EQ(ranked.front().variant.value("geometry"), "on_the_fly");
  EXPECT_LT(ranked.front().predicted_s, ranked.back().predicted_s);
}

TEST(FormTuning, TheKeySaysWhatTextsAreTheSame) {
  BuildOnlyDevice device(named_cpu());
  const auto key = [&](const std::string &case_text, FormTuningOptions options) {
    const DiscreteProblem problem(case_text);
    return FormTuning(device, problem.d, std::move(options)).key();
  };
  const TuningKey one = key(text(triangles), tuning_options());
  EXPECT_EQ(one.kernel, "fem_integrate");
  EXPECT_EQ(one.size_class, "11"); // 3200 cells
  EXPECT_EQ(one.device, "processor");
  EXPECT_FALSE(one.generator.empty());
  const std::string larger = "cells = [80, 40], cell = \"triangle\"";
  EXPECT_EQ(key(text(larger), tuning_options()).problem, one.problem);
  EXPECT_EQ(key(text(larger), tuning_options()).size_class, "12");
  EXPECT_EQ(key(text(triangles, "P1", 7), tuning_options()).problem, one.problem);
  EXPECT_NE(key(text(triangles, "P2"), tuning_options()).problem, one.problem);
  EXPECT_NE(key(text("cells = [40, 40], cell = \"quadrilateral\""), tuning_options()).problem,
            one.problem);
  EXPECT_NE(key(text(triangles), tuning_options({{{"strategy", "cell"}}})).problem, one.problem);
  FormTuningOptions f32 = tuning_options();
  f32.base.precision = Precision::f32;
  EXPECT_NE(key(text(triangles), f32).problem, one.problem);
  FormTuningOptions residual = tuning_options();
  residual.kind = IntegralKind::residual;
  EXPECT_NE(key(text(triangles), residual).problem, one.problem);
}

TEST(FormTuning, EveryStrategyPassesValidation) {
  const DiscreteProblem problem(text(triangles));
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    FormTuningOptions options = tuning_options();
    options.base.precision = precision;
    FormTuning tuning(test_device(), problem.d, options);
    const std::vector<Variant> all = candidates(tuning.space());
    for (const char *strategy : {"block", "cell", "transposed"}) {
      if (precision == Precision::f32 && std::string(strategy) != "block")
        continue; // compiling takes its time
      const auto variant = std::find_if(all.begin(), all.end(), [&](const Variant &v) {
        return v.value("strategy") == strategy && v.value("geometry") == "stored";
      });
      const std::unique_ptr<TuningTrial> trial = tuning.prepare(*variant);
      EXPECT_GT(trial->run(), 0);
      EXPECT_EQ(trial->validate(), std::nullopt);
    }
  }
}

TEST(FormTuning, ASearchFindsAVariantThatIsRight) {
  const DiscreteProblem problem(text(triangles));
  FormTuning tuning(test_device(), problem.d, tuning_options());
  const TuningOutcome outcome = tune(tuning, {.budget_s = 1, .ranked = 2, .random = 1});
  ASSERT_TRUE(outcome.best);
  check_variant(tuning.space(), *outcome.best, "test");
  EXPECT_GT(outcome.best_s, 0);
  EXPECT_FALSE(outcome.trials.empty());
}

// The model's first choice computes with another coefficient, on one region's worth of cells only.
struct Planted : FormTuning {
  const Discretisation &wrong;
  Variant first;
  Planted(Device &device, const Discretisation &right, const Discretisation &wrong)
      : FormTuning(device, right, tuning_options({{{"strategy", "cell"}}})), wrong(wrong),
        first(rank_candidates(*this).front().variant), device(device), right(right) {}
  std::unique_ptr<TuningTrial> prepare(const Variant &variant) override {
    if (!(variant == first))
      return FormTuning::prepare(variant);
    struct Fast : FormTrial {
      using FormTrial::FormTrial;
      double run() override { return 1e-9; }
    };
    expected = std::make_unique<ExpectedResult>(device, right, OperatorSettings{}, kind(), input());
    return std::make_unique<Fast>(device, wrong, settings_of(variant, {}), kind(), input(),
                                  [this]() -> const ExpectedResult & { return *expected; });
  }
  Device &device;
  const Discretisation &right;
  std::unique_ptr<ExpectedResult> expected;
};

TEST(FormTuning, AWrongKernelIsRejected) {
  const DiscreteProblem right(text(triangles)), wrong(text(triangles, "P1", 4));
  Planted target(test_device(), right.d, wrong.d);
  const TuningOutcome outcome = tune(target, {.budget_s = 1, .ranked = 2, .random = 0});
  ASSERT_TRUE(outcome.best);
  EXPECT_NE(*outcome.best, target.first);
  EXPECT_EQ(outcome.first_choice, target.first);
  EXPECT_NE(outcome.trials[0].rejected.find("by the reference loops"), std::string::npos)
      << outcome.trials[0].rejected;
}

TEST(FormTuning, OneWrongEntryIsSeen) {
  const DiscreteProblem problem(text(triangles));
  const TrialInput input = make_trial_input(problem.d, {}, Precision::f64);
  const ExpectedResult expected(test_device(), problem.d, {}, IntegralKind::linearised, input);
  OperatorSettings settings;
  FormTrial trial(test_device(), problem.d, settings, IntegralKind::linearised, input, nullptr);
  std::vector<double> result = trial.result();
  EXPECT_EQ(expected.compare(result), std::nullopt);
  for (const std::size_t entry : {std::size_t{0}, result.size() / 2, result.size() - 1}) {
    const double right = result[entry];
    result[entry] += 1e-4;
    EXPECT_NE(expected.compare(result), std::nullopt);
    result[entry] = std::nan("");
    EXPECT_NE(expected.compare(result), std::nullopt);
    result[entry] = right;
  }
}

} // namespace
} // namespace weft
