#include "bench/residual/bench_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "bench/bench_forms.h"
#include "bench/bench_options.h"
#include "bench/residual/prediction_keys.h"
#include "bench/row_marks.h"
#include "device/machine_record_of.h"
#include "mesh/make/make_mesh.h"
#include "op/set_up/make_discretisation.h"
#include "op/weak_form/form_tuning.h"
#include "run/explain/modelled_timing.h"
#include "run/kernel_timing.h"
#include "run/model/form_record.h"
#include "run/variants/known_machine.h"

namespace weft {

namespace {

struct ModelProblem {
  const char *form, *cell;
  int order;
};

constexpr ModelProblem model_problems[] = {
    {"poisson", "tetrahedron", 1},     {"poisson", "tetrahedron", 2},
    {"poisson", "tetrahedron", 3},     {"elasticity", "tetrahedron", 1},
    {"elasticity", "tetrahedron", 2},  {"mass", "tetrahedron", 1},
    {"mass", "tetrahedron", 2},        {"reaction_diffusion", "tetrahedron", 1},
    {"convection", "tetrahedron", 2},  {"poisson", "hexahedron", 1},
    {"poisson", "hexahedron", 2},      {"elasticity", "hexahedron", 1},
    {"mass", "hexahedron", 1},         {"reaction_diffusion", "hexahedron", 1},
    {"poisson", "prism", 1},           {"convection", "prism", 1},
    {"poisson", "pyramid", 1},         {"poisson", "triangle", 1},
    {"poisson", "triangle", 2},        {"elasticity", "triangle", 1},
    {"poisson", "quadrilateral", 1},   {"elasticity", "quadrilateral", 2},
    {"convection", "quadrilateral", 3}};

// A distorted box with about so many nodes of the element.
MeshSpec box_mesh(const ModelProblem &problem, double nodes) {
  const bool flat = is_flat(problem.cell);
  const double edge = std::pow(nodes, flat ? 1.0 / 2 : 1.0 / 3) / problem.order;
  const int cells = std::max(1, static_cast<int>(std::lround(edge)));
  MeshSpec mesh;
  mesh.box = BoxSpec{.dim = flat ? 2 : 3, .cells = {cells, cells, cells}, .cell = problem.cell};
  mesh.box->distort = 0.2;
  return mesh;
}

double trial_s(const TuningOutcome &outcome, const Variant &variant) {
  for (const TrialRecord &trial : outcome.trials)
    if (trial.variant == variant && !trial.seconds.empty())
      return median(trial.seconds);
  return 0;
}

void print_model_head() {
  fmt::print("{:<19} {:<13} {:<3} {:<4} {:>9} {:>10} {:>10}  {:<16} {:>9} {:>9}  {}\n", "form",
             "cell", "", "", "ms", "predicted", "pred/meas", "bound", "first/best", "default",
             "variant");
}

void print_row(const ModelRow &row, const std::string &mark) {
  const KernelRecord &r = row.record;
  fmt::print("{:<19} {:<13} {:<3} {:<4} {:>9.3f} {:>10.3f} {:>10.3f}  {:<10} {:>4.0f}% {:>9.3f} "
             "{:>9.3f}  {}{}\n",
             r.form, r.cell, r.element, r.precision, 1e3 * *r.seconds, 1e3 * *r.predicted_s,
             row.predicted_over_measured, to_string(row.predicted.bound()),
             100 * bound_share(row.predicted), row.first_choice_over_best, row.default_over_best,
             r.variant, mark.empty() ? "" : "  " + mark);
  std::fflush(stdout);
}

// `last_cache_bytes`: 0 where it is not known.
void print_summary(const std::vector<ModelRow> &rows, std::uint64_t last_cache_bytes) {
  std::vector<double> all, by_limit, beyond_cache, first, usual;
  for (const ModelRow &row : rows) {
    all.push_back(row.predicted_over_measured);
    const CostTerm bound = row.predicted.bound();
    const bool limit = bound == CostTerm::memory || bound == CostTerm::arithmetic;
    if (limit)
      by_limit.push_back(row.predicted_over_measured);
    if (limit && *row.record.bytes > static_cast<double>(last_cache_bytes))
      beyond_cache.push_back(row.predicted_over_measured);
    if (row.first_choice_over_best > 0)
      first.push_back(row.first_choice_over_best);
    if (row.default_over_best > 0)
      usual.push_back(row.default_over_best);
  }
  for (const auto &[which, ratios] :
       {std::pair{"bounded by memory or arithmetic, and larger than the last cache", beyond_cache},
        {"bounded by memory or arithmetic", by_limit},
        {"all", all}})
    if (!ratios.empty())
      fmt::print("{}: {} pairs, {}\n", which, ratios.size(), prediction_errors(ratios));
  if (!first.empty() && !usual.empty())
    fmt::print("time over the tuned best's, median: {:.3f} of the model's first choice, {:.3f} of "
               "the default\n",
               median(first), median(usual));
}

class ModelBench {
public:
  ModelBench(Device &device, const MachineFigures &figures, const ModelOptions &options)
      : device_(device), figures_(figures), options_(options) {}
  ModelRow run(const ModelProblem &problem, const Discretisation &d, Precision precision);

private:
  TuningOutcome search(const Discretisation &d, const OperatorSettings &base);

  Device &device_;
  const MachineFigures &figures_;
  const ModelOptions &options_;
  Variant usual_;
};

TuningOutcome ModelBench::search(const Discretisation &d, const OperatorSettings &base) {
  const auto model = [&](const std::vector<NamedCost> &costs) {
    return predict(costs, base.precision, device_.info(), figures_).seconds;
  };
  FormTuning tuning(device_, d,
                    {.kind = IntegralKind::residual, .base = base, .fixed = {}, .model = model});
  usual_ = tuning.default_variant().value();
  return tune(tuning, {.budget_s = options_.budget_s});
}

ModelRow ModelBench::run(const ModelProblem &problem, const Discretisation &d,
                         Precision precision) {
  OperatorSettings base;
  base.precision = precision;
  base.form_name = problem.form;
  const TuningOutcome outcome = search(d, base);
  require(outcome.best.has_value(), "a variant of a benchmark's form runs and is right");
  FormOperator op(device_, d, settings_of(*outcome.best, base));
  Vector u = make_vector(device_, op.size(), precision, "state");
  Vector r = make_vector(device_, op.size(), precision, "residual");
  std::vector<double> values(op.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 0.01 * static_cast<double>(i % 101);
  set_vector(device_, u, values);
  ModelledTimer timer(device_, precision, figures_);
  const auto samples = timer.time(options_.repeats, [&] { op.residual(u, r); });
  const std::vector<NamedCost> costs = op.costs(IntegralKind::residual);
  ModelRow row;
  row.record = make_kernel_record(op, d, IntegralKind::residual, 0);
  set_time(row.record, timer.compare(samples, costs, *row.record.flops, *row.record.bytes));
  row.record.variant = to_string(*outcome.best);
  row.predicted = timer.predicted(samples, costs);
  row.predicted_over_measured = *row.record.predicted_s / *row.record.seconds;
  row.first_choice_over_best = outcome.first_choice_ratio;
  row.default_over_best = trial_s(outcome, usual_) / outcome.best_s;
  return row;
}

} // namespace

nlohmann::ordered_json to_json(const ModelRow &row) {
  const auto known = [](double ratio) {
    return ratio > 0 ? nlohmann::ordered_json(ratio) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json json = to_json(row.record);
  add_prediction(json, row.predicted, row.predicted_over_measured);
  json["first_choice_over_best"] = known(row.first_choice_over_best);
  json["default_over_best"] = known(row.default_over_best);
  return json;
}

ModelResult bench_model(const ModelOptions &options) {
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  TuningDatabase database;
  const MachineFigures figures = known_machine(*device, database);
  ModelResult result;
  RowMarks marks;
  result.machine = machine_record(device->info());
  ModelBench bench(*device, figures, options);
  print_model_head();
  for (const ModelProblem &problem : model_problems) {
    if (!wanted(options.form, problem.form) || !wanted(options.cell, problem.cell))
      continue;
    Timings timings;
    const Mesh mesh = make_mesh(box_mesh(problem, options.nodes), timings);
    const Case c = bench_case(bench_form(problem.form, mesh.dim), problem.order, mesh.dim);
    const Discretisation d = make_discretisation(c, mesh, bench_quadrature_degree(problem.order));
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      if (!wanted(options.precision, to_string(precision)) ||
          (precision == Precision::f64 && !device->info().has_f64))
        continue;
      result.rows.push_back(bench.run(problem, d, precision));
      print_row(result.rows.back(), marks.mark(result.rows.back().record));
    }
  }
  print_summary(result.rows, device->info().last_cache_bytes);
  print_explained(marks);
  return result;
}

} // namespace weft
