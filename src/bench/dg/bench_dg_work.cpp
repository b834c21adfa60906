// Figure 26.8 of weft bench dg: ways of cutting up the work of differentiation.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <random>

#include "base/error.h"
#include "base/log.h"
#include "bench/bench_options.h"
#include "bench/dg/bench_dg.h"
#include "bench/row_marks.h"
#include "device/card/model_device.h"
#include "output/plot/plot.h"
#include "output/progress.h"
#include "run/explain/explain_card.h"
#include "run/explain/paired_timing.h"
#include "run/explain/work_estimate.h"
#include "run/kernel_timing.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

constexpr int rounds_a_candidate = 5;

// Which choices stand for the paper's, and what is timed.
struct WorkParameters {
  DgStage stage;
  std::string kernels;
  std::string sequence, in_line, parallel, rows;
};

WorkParameters work_parameters(const DeviceInfo &info) {
  if (info.is_cpu)
    return {DgStage::differentiate, "separate", "groups_per_item", "lanes", "lanes", "rows"};
  return {DgStage::fused, "nodes", "sequence", "in_line", "parallel", "matrix"};
}

// All variants that differ from `usual` in those parameters alone.
std::vector<Variant> work_candidates(const SearchSpace &space, const Variant &usual,
                                     const WorkParameters &varied) {
  std::vector<Variant> result;
  for (const Variant &variant : candidates(space)) {
    const bool is_one =
        std::all_of(variant.choices.begin(), variant.choices.end(), [&](const auto &choice) {
          const auto &[name, value] = choice;
          return name == varied.sequence || name == varied.in_line || name == varied.parallel ||
                 name == varied.rows || value == usual.value(name);
        });
    if (is_one)
      result.push_back(variant);
  }
  return result;
}

class WorkBench {
public:
  // `card`: that `device`, a ProfilingDevice, is a model of; may be null.
  WorkBench(Device &device, DgTuning &tuning, Precision precision, double budget_s,
            const Card *card)
      : device_(device), tuning_(tuning), timer_(device, precision), budget_s_(budget_s),
        card_(card), varied_(work_parameters(device.info())) {}

  DgWorkResult run();

private:
  Variant usual() const;
  void launch(const Variant &variant);
  double time(const Variant &variant);
  double predict(const Variant &variant);
  DgWorkRow row(const Variant &variant);

  Device &device_;
  DgTuning &tuning_;
  PairedTimer timer_;
  double budget_s_;
  const Card *card_;
  WorkParameters varied_;
  Variant usual_;
  std::vector<double> usual_seconds_;
};

// The default with the kernels that have these parameters.
Variant WorkBench::usual() const {
  Variant variant = tuning_.default_variant().value();
  for (auto &[name, value] : variant.choices)
    if (name == "kernels")
      value = varied_.kernels;
  check_variant(tuning_.space(), variant, "weft bench dg");
  return variant;
}

void WorkBench::launch(const Variant &variant) {
  DgTuning::Shared &shared = tuning_.shared(variant);
  shared.op->launch_part(varied_.stage, 0, 1, tuned_update(), shared.q, nullptr, &shared.sum,
                         shared.out);
}

double WorkBench::time(const Variant &variant) {
  return time_calls(device_, 1, [&] { launch(variant); }).front();
}

double WorkBench::predict(const Variant &variant) {
  auto &watched = dynamic_cast<ProfilingDevice &>(device_);
  std::map<std::string, KnownKernel> known;
  for (const NamedCost &named : tuning_.shared(variant).op->costs_of(varied_.stage, tuned_update()))
    known[named.name].cost = named.cost;
  watched.take_profile();
  watched.set_profiling(true);
  launch(variant);
  watched.set_profiling(false);
  double seconds = 0;
  for (const auto &[name, profile] : watched.take_profile())
    if (!profile.seconds.empty())
      seconds += kernel_on_card(name, profile, &known.at(name), *card_).total_s();
  return seconds;
}

DgWorkRow WorkBench::row(const Variant &variant) {
  DgWorkRow row{.variant = variant,
                .sequence = variant.value(varied_.sequence),
                .in_line = variant.value(varied_.in_line),
                .parallel = variant.value(varied_.parallel),
                .rows = variant.value(varied_.rows),
                .disturbance = {},
                .reason = {}};
  try {
    time(variant); // compiles
    std::vector<double> seconds, ratios, core_gops;
    OthersUse others;
    others.begin();
    for (int round = 0; round < rounds_a_candidate; ++round) {
      usual_seconds_.push_back(time(usual_));
      seconds.push_back(time(variant));
      ratios.push_back(seconds.back() / usual_seconds_.back());
      core_gops.push_back(timer_.beside(0).core_gops);
    }
    others.end();
    row.seconds = median(seconds);
    if (card_ != nullptr)
      row.predicted_s = predict(variant);
    row.ratio = median(ratios);
    row.disturbance = find_disturbance({.seconds = ratios,
                                        .num_taken = rounds_a_candidate,
                                        .num_undisturbed = count_undisturbed(core_gops),
                                        .others = others.share()});
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::unsupported && error.kind() != ErrorKind::system)
      throw;
    row.reason = error.what();
  }
  return row;
}

DgWorkResult WorkBench::run() {
  usual_ = usual();
  std::vector<Variant> all = work_candidates(tuning_.space(), usual_, varied_);
  DgWorkResult result{.title = {}, .rows = {}, .num_candidates = static_cast<int>(all.size())};
  fmt::print("{} candidates: {}, {}, {} and {} varied\n", all.size(), varied_.sequence,
             varied_.in_line, varied_.parallel, varied_.rows);
  std::fflush(stdout);
  time(usual_); // compiles
  Progress progress("differentiation", "");
  WorkEstimate estimate;
  estimate.expect("candidate", static_cast<double>(all.size()), 0);
  const Timer clock;
  // By hand: what std::shuffle does with a generator's numbers is not laid down.
  std::mt19937_64 generator(1);
  while (!all.empty() && (result.rows.empty() || clock.seconds() < budget_s_)) {
    const Timer one;
    std::swap(all[generator() % all.size()], all.back());
    result.rows.push_back(row(all.back()));
    all.pop_back();
    estimate.done("candidate", 1, one.seconds());
    progress.make_way();
    const DgWorkRow &last = result.rows.back();
    fmt::print("{:>9.3f} ms  {}{}{}\n", 1e3 * last.seconds,
               card_ != nullptr ? fmt::format("{:>9.3f} ms predicted  ", 1e3 * last.predicted_s)
                                : "",
               to_string(last.variant), last.disturbance.empty() ? "" : "  busy");
    std::fflush(stdout);
    if (result.rows.size() == announced_after)
      log::info("{}",
                announcement(result.num_candidates, estimate.seconds_of("candidate"), budget_s_));
    progress.update(std::isinf(budget_s_)
                        ? estimate.fraction()
                        : std::max(estimate.fraction(), clock.seconds() / budget_s_));
  }
  result.usual_s = median(usual_seconds_);
  return result;
}

} // namespace

double DgWorkResult::worst_to_best() const {
  double best = 0, worst = 0;
  for (const DgWorkRow &row : rows)
    if (const double value = card.empty() ? row.ratio : row.predicted_s; row.ratio > 0) {
      best = best == 0 ? value : std::min(best, value);
      worst = std::max(worst, value);
    }
  return best > 0 ? worst / best : 0;
}

DgWorkResult bench_dg_work(const DgBenchOptions &options) {
  const std::optional<Card> card = card_of_device(options.device);
  const std::unique_ptr<Device> device =
      card ? open_watched_model(*card) : open_bench_device(options.device, options.threads);
  const DeviceInfo &info = device->info();
  const std::string &form = options.forms.front();
  const int order = options.orders.front();
  const Precision precision = options.precision == "f32" ? Precision::f32 : Precision::f64;
  const DgBenchProblem problem(dg_bench_case(options, form, order, dg_wanted_dofs(options, info)));
  DgTuning tuning(*device, problem.d, dg_tuning_options(options, problem, form, precision, {}));
  const std::string title =
      fmt::format("{} of {}, {} cells, DG{}, {}, {}", info.is_cpu ? "differentiation" : "stage",
                  form, problem.mesh.num_cells(), order, to_string(precision), info.name);
  fmt::print("{}\n", title);
  DgWorkResult result =
      WorkBench(*device, tuning, precision, options.budget_s, card ? &*card : nullptr).run();
  if (card)
    result.card = card->name;
  result.title =
      fmt::format("{}: {} of {} candidates", title, result.rows.size(), result.num_candidates);
  RowMarks marks;
  const DgWorkRow *best = nullptr;
  for (const DgWorkRow &row : result.rows) {
    marks.mark(row.disturbance, 0, false);
    const auto value = [&](const DgWorkRow &of) { return card ? of.predicted_s : of.ratio; };
    if (row.ratio > 0 && (best == nullptr || value(row) < value(*best)))
      best = &row;
  }
  fmt::print("{} of {} candidates timed\n", result.rows.size(), result.num_candidates);
  if (best != nullptr)
    fmt::print("{}fastest {:.3f} ms: {}\nslowest / fastest of those {:.2f} (the paper: more than "
               "2)\n",
               card ? "predicted " : "",
               1e3 * (card ? best->predicted_s : best->ratio * result.usual_s),
               to_string(best->variant), result.worst_to_best());
  print_explained(marks);
  return result;
}

namespace {

// As in the paper a point for each; in the order of cells in sequence, then in parallel.
void plot_dg_work(const DgWorkResult &result, const std::filesystem::path &file, bool predicted) {
  Plot plot{.title = "Figure 26.8: " + result.title + (predicted ? ", predicted by counts" : ""),
            .x_label = "cells, or groups of them, in sequence (w_s)",
            .y_label = "milliseconds",
            .log_x = true};
  std::map<std::string, PlotSeries> series;
  for (const DgWorkRow &row : result.rows)
    if (row.ratio > 0 && row.sequence != "-") { // else without such numbers
      const std::string name =
          row.in_line == row.parallel
              ? fmt::format("{} in line and parallel", row.parallel)
              : fmt::format("{} in line, {} parallel", row.in_line, row.parallel);
      series[name].name = name;
      series[name].points.emplace_back(
          std::stod(row.sequence),
          1e3 * (predicted ? row.predicted_s : row.ratio * result.usual_s));
    }
  for (const auto &[name, one] : series)
    plot.series.push_back(one);
  write_plot(plot, file);
}

} // namespace

void plot_dg_work(const DgWorkResult &result, const std::filesystem::path &folder) {
  plot_dg_work(result, folder / "figure26_8.svg", false);
  if (!result.card.empty())
    plot_dg_work(result, folder / "figure26_8_predicted.svg", true);
}

void write_dg_work_csv(const std::string &path, const DgWorkResult &result) {
  std::vector<Json> rows;
  for (const DgWorkRow &row : result.rows) {
    const bool ran = row.ratio > 0;
    Json json = {{"variant", to_string(row.variant)},
                 {"sequence", row.sequence},
                 {"in_line", row.in_line},
                 {"parallel", row.parallel},
                 {"rows", row.rows},
                 {"candidates", result.num_candidates},
                 {"seconds", ran ? Json(row.seconds) : Json()},
                 {"ratio", ran ? Json(row.ratio) : Json()},
                 {"predicted_on", result.card.empty() ? Json() : Json(result.card)},
                 {"predicted_s", result.card.empty() || !ran ? Json() : Json(row.predicted_s)},
                 {"reason", row.reason.empty() ? Json() : Json(row.reason)}};
    add_state(json, row.disturbance, false);
    rows.push_back(json);
  }
  write_rows_csv(path, rows);
}

} // namespace weft
