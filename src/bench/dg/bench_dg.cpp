#include "bench/dg/bench_dg.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "base/error.h"
#include "bench/bench_forms.h"
#include "bench/bench_options.h"
#include "bench/row_marks.h"
#include "device/machine_record_of.h"
#include "output/plot/plot.h"
#include "run/explain/modelled_timing.h"
#include "run/kernel_timing.h"
#include "run/model/law_record.h"
#include "run/variants/known_machine.h"
#include "run/variants/variant_choice.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

constexpr DgStage bench_stages[] = {DgStage::differentiate, DgStage::flux, DgStage::lift,
                                    DgStage::update, DgStage::fused};
// Dofs of the mesh on which the best variant is compared with the reference.
constexpr double small_dofs = 2e3;

void print_dg_head() {
  fmt::print("{:<8} {:<4} {:<4} {:<14} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9}  {}\n",
             "form", "", "", "stage", "ns/dof", "GFlop/s", "GB/s", "peak", "stream", "of limit",
             "predicted", "dofs", "variant");
}

void print_dg_row(const DgBenchRow &row, const std::string &mark) {
  const KernelRecord &r = row.record;
  fmt::print("{:<8} {:<4} {:<4} {:<14} {:>9.3f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>7.0f}% "
             "{:>9.2f} {:>9}  {}{}\n",
             r.form, r.element, r.precision, row.stage, row.ns_per_dof(),
             *r.flops / *r.seconds * 1e-9, *r.bytes / *r.seconds * 1e-9, *r.peak_gflops,
             *r.stream_gbps, 100 * *r.fraction, *r.predicted_s / *r.seconds, *r.dofs, r.variant,
             mark.empty() ? "" : "  " + mark);
  std::fflush(stdout);
}

class DgBench {
public:
  DgBench(Device &device, const MachineFigures &figures, const DgBenchOptions &options,
          DgBenchResult &result)
      : device_(device), figures_(figures), options_(options), result_(result) {}

  void run(const std::string &form, int order);
  const RowMarks &marks() const { return marks_; }

private:
  void time_stages(const DgBenchProblem &problem, const std::string &form, int order,
                   Precision precision);
  void check(const std::string &form, int order, Precision precision, const Variant &variant);
  DgBenchRow row(DgTuning::Shared &shared, const Discretisation &d, DgStage stage,
                 ModelledTimer &timer);

  Device &device_;
  const MachineFigures &figures_;
  const DgBenchOptions &options_;
  DgBenchResult &result_;
  RowMarks marks_;
};

void DgBench::run(const std::string &form, int order) {
  const DgBenchProblem problem(
      dg_bench_case(options_, form, order, dg_wanted_dofs(options_, device_.info())));
  for (const Precision precision : {Precision::f64, Precision::f32})
    if (wanted(options_.precision, to_string(precision)) &&
        (precision == Precision::f32 || device_.info().has_f64))
      time_stages(problem, form, order, precision);
}

// The plain loops, on a mesh that they can do.
void DgBench::check(const std::string &form, int order, Precision precision,
                    const Variant &variant) {
  DgBenchOptions of_box = options_;
  of_box.mesh_file.clear();
  const DgBenchProblem problem(dg_bench_case(of_box, form, order, small_dofs));
  DgTuning tuning(device_, problem.d, dg_tuning_options(options_, problem, form, precision, {}));
  if (const auto wrong = tuning.compare(tuning.change(tuning.shared(variant))))
    throw Error(ErrorKind::invariant, {.what = "a variant that was timed is wrong: " + *wrong,
                                       .where = fmt::format("{} DG{}", form, order),
                                       .found = to_string(variant)});
}

DgBenchRow DgBench::row(DgTuning::Shared &shared, const Discretisation &d, DgStage stage,
                        ModelledTimer &timer) {
  const StageUpdate update = tuned_update();
  LawRates &op = *shared.op;
  const auto work = [&] {
    op.launch_part(stage, 0, 1, update, shared.q, nullptr, &shared.sum, shared.out);
  };
  const PairedSamples samples = timer.time(options_.repeats, work);
  DgBenchRow row{.record = make_law_record(op, d, stage, update), .stage = to_string(stage)};
  set_time(row.record, timer.compare(samples, op.costs_of(stage, update), *row.record.flops,
                                     *row.record.bytes));
  return row;
}

void DgBench::time_stages(const DgBenchProblem &problem, const std::string &form, int order,
                          Precision precision) {
  const DeviceInfo &info = device_.info();
  DgTuning tuning(
      device_, problem.d,
      dg_tuning_options(options_, problem, form, precision, cost_model(info, precision, figures_)));
  Variant best = tuning.default_variant().value();
  if (options_.budget_s > 0)
    best =
        tune(tuning, {.budget_s = options_.budget_s, .ranked = 8, .random = 8}).best.value_or(best);
  check(form, order, precision, best);
  DgTuning::Shared &shared = tuning.shared(best);
  ModelledTimer timer(device_, precision, figures_);
  for (const DgStage stage : bench_stages) {
    DgBenchRow row = this->row(shared, problem.d, stage, timer);
    row.order = order;
    KernelRecord &r = row.record;
    r.strategy = stage == DgStage::fused ? "fused" : "separate";
    auto &peak = precision == Precision::f64 ? result_.machine.peak_gflops_f64
                                             : result_.machine.peak_gflops_f32;
    peak = std::max(peak.value_or(0), *r.peak_gflops);
    result_.machine.stream_gbps = std::max(result_.machine.stream_gbps.value_or(0), *r.stream_gbps);
    print_dg_row(row, marks_.mark(r));
    result_.rows.push_back(std::move(row));
  }
}

Json to_json(const DgBenchRow &row) {
  Json json = to_json(row.record);
  json["stage"] = row.stage;
  json["order"] = row.order;
  json["ns_per_dof"] = row.ns_per_dof();
  return json;
}

std::vector<Json> json_rows(const DgBenchResult &result) {
  std::vector<Json> rows;
  for (const DgBenchRow &row : result.rows)
    rows.push_back(to_json(row));
  return rows;
}

// One figure of the rows of a form and precision against the order; the machine's own beside.
Plot stage_figure(const std::vector<const DgBenchRow *> &rows, const std::string &title,
                  const std::string &label, const char *machine,
                  const std::function<double(const KernelRecord &)> &value,
                  const std::function<double(const KernelRecord &)> &limit) {
  Plot plot{.title = title, .x_label = "order", .y_label = label};
  for (const DgStage stage : bench_stages) {
    PlotSeries series{.name = to_string(stage), .style = PlotStyle::lines_points};
    for (const DgBenchRow *row : rows)
      if (row->stage == series.name)
        series.points.emplace_back(row->order, value(row->record));
    plot.series.push_back(series);
  }
  PlotSeries of_machine{.name = machine, .style = PlotStyle::lines};
  for (const DgBenchRow *row : rows)
    if (row->stage == to_string(DgStage::fused))
      of_machine.points.emplace_back(row->order, limit(row->record));
  plot.series.push_back(of_machine);
  return plot;
}

} // namespace

double DgBenchRow::ns_per_dof() const {
  return 1e9 * *record.seconds / static_cast<double>(*record.dofs);
}

DgBenchResult bench_dg(const DgBenchOptions &options) {
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  TuningDatabase database;
  const MachineFigures figures = known_machine(*device, database);
  DgBenchResult result;
  result.machine = machine_record(device->info());
  fmt::print("{}\n", device->info().name);
  print_dg_head();
  DgBench bench(*device, figures, options, result);
  for (const std::string &form : options.forms)
    for (const int order : options.orders)
      bench.run(form, order);
  print_explained(bench.marks());
  return result;
}

void plot_dg(const DgBenchResult &result, const std::filesystem::path &folder) {
  std::map<std::pair<std::string, std::string>, std::vector<const DgBenchRow *>> groups;
  for (const DgBenchRow &row : result.rows)
    groups[{row.record.form, row.record.precision}].push_back(&row);
  const auto rate = [](const std::optional<double> &count, const KernelRecord &r) {
    return *count / *r.seconds * 1e-9;
  };
  for (const auto &[key, rows] : groups) {
    const auto &[form, precision] = key;
    const std::string title = fmt::format("{}, {}s, {}, {}", form, rows.front()->record.cell,
                                          precision, result.machine.device);
    const auto file = [&, &form = form, &precision = precision](const char *number) {
      return folder / fmt::format("figure26_{}_{}_{}.svg", number, form, precision);
    };
    write_plot(stage_figure(
                   rows, title, "GFlop/s", "multiply-adds, measured",
                   [&](const KernelRecord &r) { return rate(r.flops, r); },
                   [](const KernelRecord &r) { return *r.peak_gflops; }),
               file("9"));
    write_plot(stage_figure(
                   rows, title, "GB/s", "bandwidth, measured",
                   [&](const KernelRecord &r) { return rate(r.bytes, r); },
                   [](const KernelRecord &r) { return *r.stream_gbps; }),
               file("10"));
  }
}

void write_dg_json(const std::string &path, const DgBenchResult &result) {
  write_bench_json(path, result.machine, json_rows(result));
}

void write_dg_csv(const std::string &path, const DgBenchResult &result) {
  write_rows_csv(path, json_rows(result));
}

double DgSearchResult::worst_to_best() const {
  double best = 0, worst = 0;
  for (const TrialRecord &trial : outcome.trials)
    if (trial.rejected.empty() && trial.ratio > 0) {
      best = best == 0 ? trial.ratio : std::min(best, trial.ratio);
      worst = std::max(worst, trial.ratio);
    }
  return best > 0 ? worst / best : 0;
}

namespace {

std::string disturbance_of_trial(const DgSearchResult &result, const TrialRecord &trial) {
  return find_disturbance({.seconds = trial.seconds, .others = result.others});
}

} // namespace

DgSearchResult search_dg(const DgBenchOptions &options) {
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  TuningDatabase database;
  const MachineFigures figures = known_machine(*device, database);
  const std::string &form = options.forms.front();
  const int order = options.orders.front();
  const Precision precision = options.precision == "f32" ? Precision::f32 : Precision::f64;
  const DgBenchProblem problem(
      dg_bench_case(options, form, order, dg_wanted_dofs(options, device->info())));
  DgTuning tuning(*device, problem.d,
                  dg_tuning_options(options, problem, form, precision,
                                    cost_model(device->info(), precision, figures)));
  TunerOptions search{.budget_s = options.budget_s};
  search.random = static_cast<int>(candidates(tuning.space()).size());
  OthersUse others;
  others.begin();
  DgSearchResult result{.title = fmt::format("stage of {}, {} cells, DG{}, {}, {}", form,
                                             problem.mesh.num_cells(), order, to_string(precision),
                                             device->info().name),
                        .outcome = tune(tuning, search),
                        .others = {}};
  others.end();
  result.others = others.share();
  result.title += fmt::format(": {} of {} candidates", result.outcome.trials.size(),
                              result.outcome.num_candidates);
  fmt::print("{} timed in {:.0f} s\n", result.title, result.outcome.spent_s);
  if (result.outcome.best)
    fmt::print("fastest {:.3f} ms, predicted {:.3f}: {}\nslowest / fastest of those {:.2f}; the "
               "model's first choice takes {:.2f} times the best's time\n",
               1e3 * result.outcome.best_s, 1e3 * result.outcome.predicted_s,
               to_string(*result.outcome.best), result.worst_to_best(),
               result.outcome.first_choice_ratio);
  RowMarks marks;
  for (const TrialRecord &trial : result.outcome.trials)
    marks.mark(disturbance_of_trial(result, trial), 0, false);
  print_explained(marks);
  return result;
}

// Milliseconds as if all had been timed together with the best.
void plot_dg_search(const DgSearchResult &result, const std::filesystem::path &file) {
  Plot plot{.title = result.title,
            .x_label = "candidates that were tried, by their place in the model's order",
            .y_label = "milliseconds"};
  PlotSeries predicted{.name = "model"};
  for (const char *kernels : {"fused", "separate"}) {
    PlotSeries series{.name = kernels};
    for (const TrialRecord &trial : result.outcome.trials)
      if (trial.rejected.empty() && trial.ratio > 0 && trial.variant.value("kernels") == kernels) {
        series.points.emplace_back(trial.rank + 1, 1e3 * trial.ratio * result.outcome.best_s);
        predicted.points.emplace_back(trial.rank + 1, 1e3 * trial.predicted_s);
      }
    plot.series.push_back(series);
  }
  plot.series.push_back(predicted);
  write_plot(plot, file);
}

void write_dg_search_csv(const std::string &path, const DgSearchResult &result) {
  std::vector<Json> rows;
  for (const TrialRecord &trial : result.outcome.trials) {
    Json row = {{"kernel", law_kernel},
                {"variant", to_string(trial.variant)},
                {"rank", trial.rank},
                {"predicted_s", trial.predicted_s},
                {"seconds", trial.seconds.empty() ? Json() : Json(median(trial.seconds))},
                {"ratio", trial.ratio > 0 ? Json(trial.ratio) : Json()},
                {"timings", trial.seconds.size()},
                {"candidates", result.outcome.num_candidates},
                {"reason", trial.rejected.empty() ? Json() : Json(trial.rejected)}};
    add_state(row, disturbance_of_trial(result, trial), false);
    rows.push_back(row);
  }
  write_rows_csv(path, rows);
}

} // namespace weft
