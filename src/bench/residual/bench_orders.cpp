#include "bench/residual/bench_orders.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/bench_forms.h"
#include "bench/bench_options.h"
#include "bench/row_marks.h"
#include "device/machine_record_of.h"
#include "mesh/make/make_mesh.h"
#include "op/set_up/make_discretisation.h"
#include "run/explain/paired_timing.h"
#include "run/model/form_record.h"

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
  fmt::print("{:<12} {:>2} {:>6} {:<4} {:<11} {:<11} {:<6} {:>9} {:>8} {:>8} {:>8} {:>7} {:>9}\n",
             "problem", "P", "points", "", "strategy", "geometry", "sums", "dofs", "ns/dof",
             "Mdofs/s", "GFlop/s", "GB/s", "of limit");
}

void print_row(const OrdersRow &row, const std::string &mark) {
  const KernelRecord &r = row.record;
  fmt::print("{:<12} {:>2} {:>6} {:<4} {:<11} {:<11} {:<6} {:>9} {:>8.2f} {:>8.1f} {:>8.1f} "
             "{:>7.1f} {:>8.0f}% {}\n",
             row.problem, row.order, row.line_points, r.precision, r.strategy, r.geometry, row.sums,
             *r.dofs, *r.seconds / static_cast<double>(*r.dofs) * 1e9,
             static_cast<double>(*r.dofs) / *r.seconds * 1e-6, *r.flops / *r.seconds * 1e-9,
             *r.bytes / *r.seconds * 1e-9, 100 * *r.fraction, mark);
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
    settings.sums =
        options.sums == to_string(Summation::lines) ? Summation::lines : Summation::points;
  return settings;
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
        PairedTimer timer(*device, precision);
        FormOperator op(*device, d, orders_settings(options, problem, order, precision));
        Vector u = make_vector(*device, op.size(), precision, "direction");
        Vector r = make_vector(*device, op.size(), precision, "product");
        std::vector<double> values(op.size());
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = 0.01 * static_cast<double>(i % 101);
        set_vector(*device, u, values);
        op.linearise(u);
        const auto work = [&] { op.apply(u, r); };
        work();
        OrdersRow row{.record = make_kernel_record(op, d, IntegralKind::linearised, 0),
                      .problem = problem,
                      .sums = to_string(*op.settings().sums),
                      .order = order,
                      .line_points = line_points};
        set_limits(row.record, timer.time(options.repeats, work), device->info());
        auto &peak = precision == Precision::f64 ? result.machine.peak_gflops_f64
                                                 : result.machine.peak_gflops_f32;
        peak = std::max(peak.value_or(0), *row.record.peak_gflops);
        result.machine.stream_gbps =
            std::max(result.machine.stream_gbps.value_or(0), *row.record.stream_gbps);
        print_row(row, marks.mark(row.record));
        result.rows.push_back(row);
      }
    }
  }
  print_explained(marks);
  fmt::print("machine: {:.0f} GFlop/s, {:.1f} GB/s\n",
             result.machine.peak_gflops_f64.value_or(result.machine.peak_gflops_f32.value_or(0)),
             result.machine.stream_gbps.value_or(0));
  return result;
}

} // namespace weft
