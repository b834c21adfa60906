#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "bench/residual/bench_paper.h"
#include "bench/residual/paper_problem.h"
#include "op/weak_form/form_tuning.h"
#include "run/explain/modelled_timing.h"
#include "run/kernel_timing.h"
#include "run/model/form_record.h"
#include "run/variants/variant_choice.h"

namespace weft {

namespace {

std::vector<Precision> paper_precisions(const DeviceInfo &device) {
  if (device.has_f64)
    return {Precision::f32, Precision::f64};
  return {Precision::f32};
}

// Unknowns of the problem with so many nodes, about.
double num_unknowns(const std::string &form, int dim, double nodes) {
  const double all = std::pow(paper_edges(dim, nodes) + 1, dim);
  return form == "elasticity" ? dim * all : all;
}

// At which of the sizes the fastest other strategy of a form is chosen: one larger than caches, so
// that what suits large problems is chosen; smaller where its problem would be too large.
std::optional<std::size_t> choosing_size(const FigureOptions &options, const std::string &form,
                                         int dim) {
  for (std::size_t size = std::min(options.nodes.size(), 2 * options.nodes.size() / 3 + 1);
       size-- > 0;)
    if (num_unknowns(form, dim, options.nodes[size]) <= options.most_unknowns)
      return size;
  return {};
}

// The default variants of strategies other than the paper's.
std::vector<Variant> usual_others() {
  std::vector<Variant> all;
  for (const Strategy strategy : {Strategy::block, Strategy::cell})
    for (const GeometrySource geometry : {GeometrySource::on_the_fly, GeometrySource::stored})
      all.push_back({{{"strategy", to_string(strategy)}, {"geometry", to_string(geometry)}}});
  return all;
}

// All variants of such strategies, for the tuner.
class OtherStrategies : public TuningTarget {
public:
  OtherStrategies(Device &device, const Discretisation &d, const OperatorSettings &base,
                  const CostModel &model)
      : inner_(device, d,
               {.kind = IntegralKind::residual, .base = base, .fixed = {}, .model = model}) {}
  SearchSpace space() override {
    SearchSpace space = inner_.space();
    space.constraints.push_back({.text = "a strategy other than the paper's",
                                 .holds =
                                     [](const Variant &v) {
                                       return v.value("strategy") !=
                                              to_string(Strategy::transposed);
                                     },
                                 .of = {"strategy"}});
    return space;
  }
  double predict(const Variant &variant) override { return inner_.predict(variant); }
  std::unique_ptr<TuningTrial> prepare(const Variant &variant) override {
    return inner_.prepare(variant);
  }

private:
  FormTuning inner_;
};

// A panel of the figures: form, dimension, precision.
using Panel = std::tuple<std::string, int, Precision>;

class Figures {
public:
  Figures(Device &device, const MachineFigures &figures, const FigureOptions &options,
          PaperWork &work)
      : device_(device), figures_(figures), options_(options), work_(work) {}
  std::vector<PaperRow> run();

private:
  std::vector<Precision> precisions() const { return paper_precisions(device_.info()); }
  ModelledTimer &timer(Precision precision);
  // Calls `use` for each form, with its discretisation, that is not too large.
  void for_forms(const Mesh &mesh,
                 const std::function<void(const std::string &, const Discretisation &)> &use);
  // Chooses the fastest of the other strategies for all panels of a dimension.
  void choose_others(int dim);
  OperatorSettings fastest_usual(const Discretisation &d, const OperatorSettings &base);
  OperatorSettings fastest_of_all(const Discretisation &d, const OperatorSettings &base,
                                  const ResidualProblem &problem);
  void add_rows(const Panel &panel, const Discretisation &d);
  // A row without figures.
  PaperRow empty_row(const Panel &panel, const Discretisation &d, const OperatorSettings &settings,
                     const std::string &work) const;
  void add_row(ResidualRun &run, const Discretisation &d, PaperRow row);
  void add_reason(PaperRow row, const Error &error);
  void print(const PaperRow &row);

  Device &device_;
  const MachineFigures &figures_;
  const FigureOptions &options_;
  PaperWork &work_;
  std::map<Precision, std::unique_ptr<ModelledTimer>> timers_;
  std::map<Panel, OperatorSettings> others_; // the fastest of the other strategies
  int num_tried_ = 0;                        // variants for the last of them
  std::vector<PaperRow> rows_;
};

// What a device does not do, or has no room for, is said in a row; anything else is an error.
void rethrow_unless_of_device(const Error &error) {
  if (error.kind() != ErrorKind::unsupported && error.kind() != ErrorKind::system)
    throw error;
}

ModelledTimer &Figures::timer(Precision precision) {
  std::unique_ptr<ModelledTimer> &timer = timers_[precision];
  if (!timer)
    timer = std::make_unique<ModelledTimer>(device_, precision, figures_);
  return *timer;
}

void Figures::for_forms(
    const Mesh &mesh, const std::function<void(const std::string &, const Discretisation &)> &use) {
  for (const std::string &form : options_.forms) {
    const Discretisation d = paper_discretisation(form, mesh);
    if (static_cast<double>(d.num_global) <= options_.most_unknowns)
      use(form, d);
  }
}

OperatorSettings Figures::fastest_usual(const Discretisation &d, const OperatorSettings &base) {
  OperatorSettings best = base;
  double best_s = 0;
  for (const Variant &variant : usual_others()) {
    const OperatorSettings settings = settings_of(variant, base);
    try {
      ResidualRun run(device_, d, settings);
      const double seconds =
          median(timer(base.precision).time(options_.repeats, [&] { run.residual(); }),
                 [](const auto &s) { return s.seconds; });
      if (best_s == 0 || seconds < best_s) {
        best_s = seconds;
        best = settings;
      }
    } catch (const Error &error) {
      rethrow_unless_of_device(error); // another one may do
    }
    work_.done("timing", options_.repeats, "figures 4 and 5: other strategies");
  }
  return best;
}

OperatorSettings Figures::fastest_of_all(const Discretisation &d, const OperatorSettings &base,
                                         const ResidualProblem &problem) {
  OtherStrategies others(device_, d, base, cost_model(device_.info(), base.precision, figures_));
  TunerOptions search{.budget_s = std::numeric_limits<double>::infinity()};
  search.random = static_cast<int>(candidates(others.space()).size());
  search.ahead_batch = std::max(1, batch_of_a_worker * work_.num_workers());
  std::size_t batch = 0;
  const auto finish_batch = [&] {
    if (batch > 0)
      work_.done("candidate", static_cast<double>(batch), "figures 4 and 5: all other variants");
  };
  search.ahead = [&](const std::vector<Variant> &next) {
    finish_batch();
    batch = next.size();
    std::vector<ResidualJob> jobs;
    for (const Variant &variant : next)
      jobs.push_back({.problem = problem, .precision = base.precision, .variant = variant});
    work_.compile_now(jobs);
  };
  const TuningOutcome outcome = tune(others, search);
  finish_batch();
  num_tried_ = static_cast<int>(outcome.trials.size());
  return outcome.best ? settings_of(*outcome.best, base) : base;
}

void Figures::choose_others(int dim) {
  for (const std::string &form : options_.forms) {
    const std::optional<std::size_t> size = choosing_size(options_, form, dim);
    if (!size)
      continue;
    const ResidualProblem problem =
        paper_residual(form, dim, paper_edges(dim, options_.nodes[*size]));
    const Mesh mesh = make_residual_mesh(problem);
    const Discretisation d = make_residual_discretisation(problem, mesh);
    for (const Precision precision : precisions()) {
      OperatorSettings base;
      base.precision = precision;
      base.form_name = form;
      num_tried_ = static_cast<int>(usual_others().size());
      const OperatorSettings best =
          options_.exhaustive ? fastest_of_all(d, base, problem) : fastest_usual(d, base);
      if (!best.strategy)
        continue; // none runs
      others_[{form, dim, precision}] = best;
      work_.make_way();
      fmt::print("{:<10} {:<11} {} other strategies: {} with geometry {} is the fastest of {} of "
                 "{} variants at {} unknowns\n",
                 form, problem.cell, to_string(precision), to_string(*best.strategy),
                 to_string(best.geometry), num_tried_,
                 candidates(OtherStrategies(device_, d, base, {}).space()).size(), d.num_global);
      std::fflush(stdout);
    }
  }
}

PaperRow Figures::empty_row(const Panel &panel, const Discretisation &d,
                            const OperatorSettings &settings, const std::string &work) const {
  PaperRow row;
  const auto &[form, dim, precision] = panel;
  row.record.form = form;
  row.record.cell = to_string(d.mesh->sets.front().type);
  row.record.strategy = to_string(*settings.strategy);
  row.record.geometry = to_string(settings.geometry);
  row.record.device = device_.info().name;
  row.record.precision = to_string(precision);
  row.record.dofs = d.num_global;
  row.driver = device_.info().driver;
  row.work = work;
  row.num_blocks = settings.num_blocks.value_or(0);
  row.num_batches = settings.num_batches.value_or(0);
  row.paper = paper_cost(d, settings);
  return row;
}

void Figures::add_row(ResidualRun &run, const Discretisation &d, PaperRow row) {
  const bool integrals = row.work == "integration";
  FormOperator &op = run.op();
  row.record = make_kernel_record(op, d, IntegralKind::residual, 0);
  if (integrals) {
    row.record.flops = run.integral_flops();
    row.record.bytes = run.integral_bytes();
  }
  ModelledTimer &timer = this->timer(op.precision());
  const auto samples = timer.time(options_.repeats, [&] {
    if (integrals)
      run.integrals();
    else
      run.residual();
  });
  set_time(row.record,
           timer.compare(samples,
                         integrals ? run.integral_costs() : op.costs(IntegralKind::residual),
                         *row.record.flops, *row.record.bytes));
  print(row);
  rows_.push_back(std::move(row));
}

void Figures::add_reason(PaperRow row, const Error &error) {
  rethrow_unless_of_device(error);
  row.reason = error.what();
  print(row);
  rows_.push_back(std::move(row));
}

void Figures::add_rows(const Panel &panel, const Discretisation &d) {
  const auto &[form, dim, precision] = panel;
  const OperatorSettings paper =
      paper_settings(form, precision, options_.num_blocks, options_.num_batches);
  try {
    ResidualRun run(device_, d, paper);
    add_row(run, d, empty_row(panel, d, paper, "integration"));
    add_row(run, d, empty_row(panel, d, paper, "residual"));
  } catch (const Error &error) {
    add_reason(empty_row(panel, d, paper, "integration"), error);
  }
  const auto other = others_.find(panel);
  if (other == others_.end())
    return;
  try {
    ResidualRun run(device_, d, other->second);
    add_row(run, d, empty_row(panel, d, other->second, "residual"));
  } catch (const Error &error) {
    add_reason(empty_row(panel, d, other->second, "residual"), error);
  }
}

void Figures::print(const PaperRow &row) {
  work_.done("timing", options_.repeats, "figures 4 and 5");
  work_.make_way();
  const KernelRecord &r = row.record;
  fmt::print("{:<10} {:<11} {} {:>8} {:<11} {:<10} {:<11} ", r.form, r.cell, r.precision, *r.dofs,
             row.work, r.strategy, r.geometry);
  if (row.reason.empty())
    fmt::print("{:>9.2f} {:>9.2f} {:>8.2f} {}\n", row.paper_gflops(), row.predicted_gflops(),
               *r.flops / *r.seconds * 1e-9, work_.marks().mark(r));
  else
    fmt::print("- {}\n", row.reason);
  std::fflush(stdout);
}

std::vector<PaperRow> Figures::run() {
  fmt::print("figures 4 and 5: GFlop/s by the paper's equation (7), predicted and by Weft's count\n"
             "{:<10} {:<11} {:<3} {:>8} {:<11} {:<10} {:<11} {:>9} {:>9} {:>8}\n",
             "form", "cell", "", "unknowns", "work", "strategy", "geometry", "measured",
             "predicted", "by Weft");
  for (const int dim : options_.dims) {
    choose_others(dim);
    for (const double nodes : options_.nodes) {
      const Mesh mesh = paper_mesh(dim, paper_edges(dim, nodes));
      for_forms(mesh, [&](const std::string &form, const Discretisation &d) {
        for (const Precision precision : precisions())
          add_rows({form, dim, precision}, d);
      });
      if (options_.keep)
        options_.keep(rows_);
    }
  }
  return std::move(rows_);
}

} // namespace

std::vector<ResidualJob> figure_jobs(const DeviceInfo &device, const FigureOptions &options) {
  std::vector<ResidualJob> jobs;
  for (const int dim : options.dims)
    for (const std::string &form : options.forms)
      if (const auto size = choosing_size(options, form, dim)) {
        const ResidualProblem problem =
            paper_residual(form, dim, paper_edges(dim, options.nodes[*size]));
        std::vector<Variant> variants = {paper_variant(options.num_blocks, options.num_batches)};
        if (!options.exhaustive)
          for (const Variant &variant : usual_others())
            variants.push_back(variant);
        for (const Precision precision : paper_precisions(device))
          for (const Variant &variant : variants)
            jobs.push_back({.problem = problem, .precision = precision, .variant = variant});
      }
  return jobs;
}

int num_figure_rows(const DeviceInfo &device, const FigureOptions &options) {
  constexpr int rows_a_point = 3; // integrals alone, residual, another strategy
  int num_points = 0;
  for (const int dim : options.dims)
    for (const std::string &form : options.forms)
      for (const double nodes : options.nodes)
        num_points += num_unknowns(form, dim, nodes) <= options.most_unknowns ? 1 : 0;
  return rows_a_point * num_points * static_cast<int>(paper_precisions(device).size());
}

int num_figure_candidates(Device &device, const FigureOptions &options) {
  std::size_t sum = 0;
  for (const int dim : options.dims)
    for (const std::string &form : options.forms)
      if (const auto size = choosing_size(options, form, dim)) {
        if (!options.exhaustive) {
          sum += usual_others().size() * paper_precisions(device.info()).size();
          continue;
        }
        const Mesh mesh = paper_mesh(dim, paper_edges(dim, options.nodes[*size]));
        const Discretisation d = paper_discretisation(form, mesh);
        for (const Precision precision : paper_precisions(device.info())) {
          OperatorSettings base;
          base.precision = precision;
          sum += candidates(OtherStrategies(device, d, base, {}).space()).size();
        }
      }
  return static_cast<int>(sum);
}

std::vector<PaperRow> bench_paper_figures(Device &device, const MachineFigures &figures,
                                          const FigureOptions &options, PaperWork &work) {
  work.begin();
  return Figures(device, figures, options, work).run();
}

} // namespace weft
