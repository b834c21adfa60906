#include "bench/residual/bench_search.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>

#include "base/log.h"
#include "bench/bench_options.h"
#include "bench/row_marks.h"
#include "op/weak_form/form_tuning.h"
#include "output/kernel_rows.h"
#include "output/plot/plot.h"
#include "output/progress.h"
#include "run/explain/modelled_timing.h"
#include "run/explain/work_estimate.h"
#include "run/kernel_timing.h"
#include "run/variants/known_machine.h"

namespace weft {

namespace {

// What is known of a candidate beside the tuner's record.
struct Watched {
  std::vector<NamedCost> costs;
  PairedSamples samples;
  std::vector<double> ratios; // to the reference
};

// The tuner's target, with the reference and the machine's state timed after every timing.
class WatchedTarget : public TuningTarget {
public:
  WatchedTarget(Device &device, const Discretisation &d, const OperatorSettings &base,
                const MachineFigures &figures, double budget_s)
      : timer_(device, base.precision, figures), progress_("search", ""), budget_s_(budget_s),
        inner_(device, d,
               {.kind = IntegralKind::residual,
                .base = base,
                .model = [&device, &figures, precision = base.precision,
                          this](const std::vector<NamedCost> &costs) {
                  costs_ = costs;
                  return weft::predict(costs, precision, device.info(), figures).seconds;
                }}) {}

  SearchSpace space() override { return inner_.space(); }
  std::optional<Variant> default_variant() override { return inner_.default_variant(); }
  double predict(const Variant &variant) override {
    const double seconds = inner_.predict(variant);
    watched_[to_string(variant)].costs = costs_;
    return seconds;
  }
  std::unique_ptr<TuningTrial> prepare(const Variant &variant) override;

  const Watched &watched(const Variant &variant) const { return watched_.at(to_string(variant)); }
  // Of one that was timed.
  ModelledTime time_of(const Variant &variant, double bytes);
  double reference_s() const { return reference_seconds_.empty() ? 0 : median(reference_seconds_); }
  void add(Watched &watched, const TuningTrial &trial, double seconds);
  // Compiles the next candidates ahead; what that takes counts to theirs.
  void say_how_many(int candidates);

private:
  // Of the candidate that was prepared last: whether it is the best so far, and how long it took.
  void finish_last();
  double fraction() const;

  ModelledTimer timer_;
  Progress progress_;
  Timer clock_;
  double budget_s_;
  WorkEstimate estimate_;
  int num_candidates_ = 0, num_prepared_ = 0;
  double begun_s_ = 0, best_ratio_ = 0; // of the candidate that was prepared last, of the best
  std::string last_;                    // its name; empty: there was none
  std::vector<NamedCost> costs_;        // of the variant that was predicted last
  std::map<std::string, Watched> watched_;
  std::shared_ptr<TuningTrial> reference_;
  std::vector<double> reference_seconds_;
  FormTuning inner_;
};

class WatchedTrial : public TuningTrial {
public:
  WatchedTrial(WatchedTarget &target, Watched &watched, std::shared_ptr<TuningTrial> inner)
      : target_(target), watched_(watched), inner_(std::move(inner)) {}
  double run() override {
    const double seconds = inner_->run();
    target_.add(watched_, *inner_, seconds);
    return seconds;
  }
  std::optional<std::string> validate() override { return inner_->validate(); }

private:
  WatchedTarget &target_;
  Watched &watched_;
  std::shared_ptr<TuningTrial> inner_; // the reference stays, though the tuner drops it
};

void WatchedTarget::say_how_many(int candidates) {
  num_candidates_ = candidates;
  fmt::print("{} candidates\n", candidates);
  std::fflush(stdout);
  estimate_.expect("candidate", candidates, 0);
}

double WatchedTarget::fraction() const {
  const double of_all = num_prepared_ > announced_after ? estimate_.fraction() : 0;
  return std::isinf(budget_s_) ? of_all
                               : std::max(of_all, std::min(1.0, clock_.seconds() / budget_s_));
}

void WatchedTarget::finish_last() {
  const double now_s = clock_.seconds();
  if (!last_.empty()) {
    estimate_.done("candidate", 1, now_s - begun_s_);
    const std::vector<double> &ratios = watched_.at(last_).ratios;
    if (const double ratio = ratios.empty() ? 0 : median(ratios);
        ratio > 0 && (best_ratio_ == 0 || ratio < best_ratio_)) {
      best_ratio_ = ratio;
      progress_.make_way();
      fmt::print("best of {:>4}: {:>9.3f} ms  {}\n", num_prepared_, 1e3 * ratio * reference_s(),
                 last_);
      std::fflush(stdout);
    }
  }
  begun_s_ = last_.empty() ? 0 : now_s; // the first has what was compiled before it
  if (++num_prepared_ != announced_after + 1)
    return;
  progress_.make_way();
  log::info("{}", announcement(num_candidates_, estimate_.seconds_of("candidate"), budget_s_));
}

std::unique_ptr<TuningTrial> WatchedTarget::prepare(const Variant &variant) {
  finish_last();
  last_ = to_string(variant);
  progress_.update(fraction(), 0, fmt::format("{} of {}", num_prepared_, num_candidates_));
  const std::shared_ptr<TuningTrial> trial = inner_.prepare(variant);
  if (!reference_)
    reference_ = trial;
  return std::make_unique<WatchedTrial>(*this, watched_.at(to_string(variant)), trial);
}

ModelledTime WatchedTarget::time_of(const Variant &variant, double bytes) {
  const Watched &watched = this->watched(variant);
  double flops = 0;
  for (const NamedCost &part : watched.costs)
    flops += part.cost.operations.flops();
  return timer_.compare(watched.samples, watched.costs, flops, bytes);
}

void WatchedTarget::add(Watched &watched, const TuningTrial &trial, double seconds) {
  reference_seconds_.push_back(&trial == reference_.get() ? seconds : reference_->run());
  watched.ratios.push_back(seconds / reference_seconds_.back());
  const PairedSample sample = timer_.beside(seconds);
  watched.samples.add(sample, timer_.is_undisturbed(sample));
}

std::string element_name(const Discretisation &d) {
  return fmt::format("P{}", d.form.fields.front().order);
}

std::string cell_names(const Mesh &mesh) {
  std::string names;
  for (const CellSet &set : mesh.sets)
    names += (names.empty() ? "" : " + ") + to_string(set.type);
  return names;
}

SearchRow make_row(WatchedTarget &target, const TrialRecord &trial, KernelRecord record) {
  record.strategy = trial.variant.value("strategy");
  record.geometry = trial.variant.value("geometry");
  record.variant = to_string(trial.variant);
  const Watched &watched = target.watched(trial.variant);
  double bytes = 0;
  for (const NamedCost &part : watched.costs)
    bytes += part.cost.bytes();
  record.bytes = bytes;
  if (!watched.samples.kept.empty())
    set_time(record, target.time_of(trial.variant, bytes));
  return {.record = record,
          .rank = trial.rank,
          .num_timings = static_cast<int>(watched.samples.kept.size()),
          .ratio = watched.ratios.empty() ? 0 : median(watched.ratios),
          .reason = trial.rejected};
}

bool counts(const SearchRow &row, const std::string &strategy) {
  return row.reason.empty() && row.ratio > 0 &&
         (strategy.empty() || row.record.strategy == strategy);
}

nlohmann::ordered_json to_json(const SearchRow &row, const SearchOutcome &outcome,
                               const std::string &driver) {
  nlohmann::ordered_json json = to_json(row.record);
  json["driver"] = driver;
  json["candidates"] = outcome.tuning.num_candidates;
  json["rank"] = row.rank;
  json["timings"] = row.num_timings;
  json["ratio"] = row.ratio > 0 ? nlohmann::ordered_json(row.ratio) : nullptr;
  json["reason"] = nullptr;
  if (!row.reason.empty())
    json["reason"] = row.reason;
  return json;
}

// Milliseconds as if all had been timed in the machine's usual state of the search, and what the
// model says of them then.
double steady_ms(const SearchOutcome &outcome, const SearchRow &row) {
  return 1e3 * row.ratio * outcome.reference_s;
}
double predicted_ms(const SearchOutcome &outcome, const SearchRow &row) {
  return steady_ms(outcome, row) * *row.record.predicted_s / *row.record.seconds;
}

// A point for each candidate, in the order of the model.
Plot search_plot(const SearchOutcome &outcome, const std::string &title) {
  Plot plot{.title = title,
            .x_label = "candidates that were tried, by their place in the model's order",
            .y_label = "milliseconds"};
  PlotSeries predicted{.name = "model"};
  for (const char *strategy : {"block", "cell", "transposed"}) {
    PlotSeries series{.name = strategy};
    for (const SearchRow &row : outcome.rows)
      if (counts(row, strategy))
        series.points.emplace_back(row.rank + 1, steady_ms(outcome, row));
    if (!series.points.empty())
      plot.series.push_back(series);
  }
  for (const SearchRow &row : outcome.rows)
    if (counts(row, ""))
      predicted.points.emplace_back(row.rank + 1, predicted_ms(outcome, row));
  plot.series.push_back(predicted);
  return plot;
}

void print_row(const char *name, const SearchOutcome &outcome, const SearchRow &row) {
  fmt::print("{:<14} {:>9.3f} ms, predicted {:>9.3f}  {}\n", name, steady_ms(outcome, row),
             predicted_ms(outcome, row), row.record.variant);
}

void print_outcome(const SearchOutcome &outcome) {
  std::vector<const SearchRow *> rows;
  std::vector<double> ratios;
  for (const SearchRow &row : outcome.rows)
    if (counts(row, "")) {
      rows.push_back(&row);
      ratios.push_back(*row.record.predicted_s / *row.record.seconds);
    }
  fmt::print("{} of {} candidates timed in {:.0f} s\n", rows.size(), outcome.tuning.num_candidates,
             outcome.tuning.spent_s);
  RowMarks marks;
  for (const SearchRow &row : outcome.rows)
    marks.mark(row.record);
  print_explained(marks);
  if (rows.empty())
    return;
  const auto slower = [](const SearchRow *a, const SearchRow *b) { return a->ratio < b->ratio; };
  const auto [fastest, slowest] = std::minmax_element(rows.begin(), rows.end(), slower);
  print_row("fastest", outcome, **fastest);
  if (rows.front()->rank == 0)
    print_row("model's choice", outcome, *rows.front());
  print_row("slowest", outcome, **slowest);
  fmt::print("slowest / fastest of those {:.2f}", outcome.worst_to_best());
  for (const char *strategy : {"block", "cell", "transposed"})
    if (const double ratio = outcome.worst_to_best(strategy); ratio > 0)
      fmt::print(", within {} {:.2f}", strategy, ratio);
  fmt::print("\n");
  if (outcome.tuning.first_choice_ratio > 0)
    fmt::print("the model's first choice takes {:.2f} times the best's time, timed in turn\n",
               outcome.tuning.first_choice_ratio);
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  fmt::print("predicted / measured {:.2f} to {:.2f}, median {:.2f}\n", *least, *most,
             median(ratios));
}

} // namespace

double SearchOutcome::worst_to_best(const std::string &strategy) const {
  double best = 0, worst = 0;
  for (const SearchRow &row : rows)
    if (counts(row, strategy)) {
      best = best == 0 ? row.ratio : std::min(best, row.ratio);
      worst = std::max(worst, row.ratio);
    }
  return best > 0 ? worst / best : 0;
}

SearchOutcome search_residual(Device &device, const Discretisation &d, Precision precision,
                              const std::string &form_name, const MachineFigures &figures,
                              const SearchLimits &limits) {
  OperatorSettings base;
  base.precision = precision;
  base.form_name = form_name;
  WatchedTarget target(device, d, base, figures, limits.budget_s);
  TunerOptions options;
  options.budget_s = limits.budget_s;
  options.random = static_cast<int>(candidates(target.space()).size());
  options.ahead = limits.ahead;
  options.ahead_batch = limits.ahead_batch;
  target.say_how_many(options.random);
  SearchOutcome outcome{.tuning = tune(target, options)};
  KernelRecord record{.kernel = form_kernel,
                      .form = form_name,
                      .cell = cell_names(*d.mesh),
                      .element = element_name(d),
                      .device = device.info().name,
                      .precision = to_string(precision),
                      .cells = d.mesh->num_cells(),
                      .dofs = d.num_global};
  if (device.info().is_cpu)
    record.threads = device.info().compute_units;
  for (const TrialRecord &trial : outcome.tuning.trials)
    outcome.rows.push_back(make_row(target, trial, record));
  std::sort(outcome.rows.begin(), outcome.rows.end(),
            [](const SearchRow &a, const SearchRow &b) { return a.rank < b.rank; });
  outcome.reference_s = target.reference_s();
  return outcome;
}

void bench_search(const SearchOptions &options) {
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  const Precision precision = options.precision == "f32" ? Precision::f32 : Precision::f64;
  TuningDatabase database;
  const MachineFigures figures = known_machine(*device, database);
  const Mesh mesh = make_residual_mesh(options);
  const Discretisation d = make_residual_discretisation(options, mesh);
  const std::string title =
      fmt::format("residual of {}, {} {} cells, P{}, {}, {}", options.form, mesh.num_cells(),
                  cell_names(mesh), options.order, options.precision, device->info().name);
  fmt::print("{}\n", title);
  std::fflush(stdout);
  const CompileWorkers workers = bench_compile_workers(*device, options.threads);
  SearchLimits limits{.budget_s = options.budget_s, .ahead = {}, .ahead_batch = 1};
  if (options.exhaustive)
    limits.budget_s = std::numeric_limits<double>::infinity();
  if (workers.number() > 0) {
    limits.ahead_batch = batch_of_a_worker * workers.number();
    limits.ahead = [&](const std::vector<Variant> &variants) {
      std::vector<std::string> jobs;
      for (const Variant &variant : variants)
        jobs.push_back(to_text({.problem = options, .precision = precision, .variant = variant}));
      workers.run(jobs, [](int) {});
    };
  }
  const SearchOutcome outcome =
      search_residual(*device, d, precision, options.form, figures, limits);
  print_outcome(outcome);
  std::vector<nlohmann::ordered_json> rows;
  for (const SearchRow &row : outcome.rows)
    rows.push_back(to_json(row, outcome, device->info().driver));
  write_rows_csv((options.out / "search.csv").string(), rows);
  write_plot(search_plot(outcome, fmt::format("{}: {} of {} candidates", title, rows.size(),
                                              outcome.tuning.num_candidates)),
             options.out / "search_times.svg");
  log::info("wrote search.csv and search_times.svg into {}", options.out.string());
}

} // namespace weft
