#include "bench/residual/bench_orders.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/bench_forms.h"
#include "bench/bench_options.h"
#include "bench/residual/prediction_keys.h"
#include "bench/row_marks.h"
#include "device/machine_record_of.h"
#include "mesh/make/make_mesh.h"
#include "op/set_up/make_discretisation.h"
#include "run/explain/modelled_timing.h"
#include "run/model/form_record.h"
#include "run/variants/known_machine.h"

namespace weft {

namespace {

// Constant coefficients, as the bake-off problems have.
BenchForm orders_form(const std::string &problem, int dim) {
  if (problem == "bp1" || problem == "bp2")
    return {.name = problem,
            .vector = problem == "bp2",
            .integrand = problem == "bp1" ? "u*test(u)" : "dot(u, test(u))"};
  if (problem == "bp3" || problem == "bp5")
    return {.name = problem, .integrand = "inner(grad(u), grad(test(u)))"};
  if (problem == "bp4" || problem == "bp6")
    return {.name = problem, .vector = true, .integrand = "inner(grad(u), grad(test(u)))"};
  return bench_form(problem, dim);
}

bool is_collocated(const std::string &problem) {
  return problem == "bp5" || problem == "bp6";
}

Discretisation orders_discretisation(const std::string &problem, int order, const Mesh &mesh,
                                     int line_points) {
  Case c = bench_case(orders_form(problem, mesh.dim), order, mesh.dim);
  if (!is_collocated(problem))
    return make_discretisation(c, mesh, 2 * line_points - 1);
  c.form.quadrature.gauss_lobatto = true;
  return make_discretisation(c, mesh);
}

Mesh orders_mesh(const OrdersOptions &options, int order) {
  const int dim = is_flat(options.cell) ? 2 : 3;
  const int edges =
      std::max(1, static_cast<int>(std::lround(std::pow(options.dofs, 1.0 / dim) / order)));
  MeshSpec spec;
  spec.box =
      BoxSpec{.dim = dim, .cells = {edges, edges, edges}, .cell = options.cell, .distort = 0.2};
  spec.leaf_cells = options.leaf_cells > 0 ? options.leaf_cells : leaf_cells_of(order);
  Timings timings;
  return make_mesh(spec, timings);
}

void print_head() {
  fmt::print("{:<12} {:>2} {:>6} {:<4} {:<11} {:<11} {:<6} {:>9} {:>8} {:>9} {:>9}  {:<16} {:>8} "
             "{:>8} {:>7} {:>9}\n",
             "problem", "P", "points", "", "strategy", "geometry", "sums", "dofs", "ns/dof",
             "predicted", "pred/meas", "bound", "Mdofs/s", "GFlop/s", "GB/s", "of limit");
}

void print_row(const OrdersRow &row, const std::string &mark) {
  const KernelRecord &r = row.record;
  const auto dofs = static_cast<double>(*r.dofs);
  fmt::print("{:<12} {:>2} {:>6} {:<4} {:<11} {:<11} {:<6} {:>9} {:>8.2f} {:>9.2f} {:>9.3f}  "
             "{:<10} {:>4.0f}% {:>8.1f} {:>8.1f} {:>7.1f} {:>8.0f}% {}\n",
             row.problem, row.order, row.line_points, r.precision, r.strategy, r.geometry, row.sums,
             *r.dofs, *r.seconds / dofs * 1e9, *r.predicted_s / dofs * 1e9,
             row.predicted_over_measured(), to_string(row.predicted.bound()),
             100 * bound_share(row.predicted), dofs / *r.seconds * 1e-6,
             *r.flops / *r.seconds * 1e-9, *r.bytes / *r.seconds * 1e-9, 100 * *r.fraction, mark);
  std::fflush(stdout);
}

OperatorSettings orders_settings(const OrdersOptions &options, const std::string &problem,
                                 int order, Precision precision) {
  OperatorSettings settings;
  settings.precision = precision;
  settings.form_name = fmt::format("{}_P{}", problem, order);
  if (!options.strategy.empty())
    settings.strategy = strategy_from_name(options.strategy);
  if (options.geometry == to_string(GeometrySource::stored))
    settings.geometry = GeometrySource::stored;
  if (!options.sums.empty())
    settings.sums = summation_from_name(options.sums);
  return settings;
}

// A product with the operator of a problem, timed and predicted.
OrdersRow time_product(Device &device, const Discretisation &d, const OperatorSettings &settings,
                       const MachineFigures &figures, int repeats) {
  FormOperator op(device, d, settings);
  Vector u = make_vector(device, op.size(), settings.precision, "direction");
  Vector r = make_vector(device, op.size(), settings.precision, "product");
  std::vector<double> values(op.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 0.01 * static_cast<double>(i % 101);
  set_vector(device, u, values);
  op.linearise(u);
  const auto work = [&] { op.apply(u, r); };
  work();
  ModelledTimer timer(device, settings.precision, figures);
  const PairedSamples samples = timer.time(repeats, work);
  const std::vector<NamedCost> costs = op.costs(IntegralKind::linearised);
  OrdersRow row{.record = make_kernel_record(op, d, IntegralKind::linearised, 0),
                .predicted = timer.predicted(samples, costs),
                .problem = {},
                .sums = to_string(*op.settings().sums)};
  set_time(row.record, timer.compare(samples, costs, *row.record.flops, *row.record.bytes));
  return row;
}

void note_limits(MachineRecord &machine, const KernelRecord &record, Precision precision) {
  auto &peak = precision == Precision::f64 ? machine.peak_gflops_f64 : machine.peak_gflops_f32;
  peak = std::max(peak.value_or(0), *record.peak_gflops);
  machine.stream_gbps = std::max(machine.stream_gbps.value_or(0), *record.stream_gbps);
}

void print_errors(const std::vector<OrdersRow> &rows) {
  std::vector<double> ratios;
  for (const OrdersRow &row : rows)
    ratios.push_back(row.predicted_over_measured());
  if (!ratios.empty())
    fmt::print("all: {} rows, {}\n", ratios.size(), prediction_errors(ratios));
}

} // namespace

std::vector<std::string> orders_problem_names() {
  std::vector<std::string> names = bench_form_names();
  for (const char *name : {"bp1", "bp2", "bp3", "bp4", "bp5", "bp6"})
    names.emplace_back(name);
  return names;
}

OrdersResult bench_orders(const OrdersOptions &options) {
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  TuningDatabase database;
  const MachineFigures figures = known_machine(*device, database);
  OrdersResult result;
  RowMarks marks;
  result.machine = machine_record(device->info());
  fmt::print("{}, boxes of distorted {}s\n", device->info().name, options.cell);
  print_head();
  for (const int order : options.orders) {
    const Mesh mesh = orders_mesh(options, order);
    for (const std::string &problem : options.problems) {
      const int line_points = order + (is_collocated(problem) ? 1 : options.more_points);
      const Discretisation d = orders_discretisation(problem, order, mesh, line_points);
      for (const Precision precision : {Precision::f64, Precision::f32}) {
        if (!wanted(options.precision, to_string(precision)) ||
            (precision == Precision::f64 && !device->info().has_f64))
          continue;
        OrdersRow row =
            time_product(*device, d, orders_settings(options, problem, order, precision), figures,
                         options.repeats);
        row.problem = problem;
        row.order = order;
        row.line_points = line_points;
        note_limits(result.machine, row.record, precision);
        print_row(row, marks.mark(row.record));
        result.rows.push_back(std::move(row));
      }
    }
  }
  print_errors(result.rows);
  print_explained(marks);
  fmt::print("machine: {:.0f} GFlop/s, {:.1f} GB/s\n",
             result.machine.peak_gflops_f64.value_or(result.machine.peak_gflops_f32.value_or(0)),
             result.machine.stream_gbps.value_or(0));
  return result;
}

} // namespace weft
