#include "bench/residual/bench_residual.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/log.h"
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

void print_row(const KernelRecord &r, const std::string &mark) {
  fmt::print("{:<14} {:<4} {:<11} {:<11} {:>9.1f} {:>9.1f} {:>8.1f} {:>8.1f} {:>9.1f} {:>9.0f}% "
             "{}\n",
             r.form, r.precision, r.strategy, r.geometry, *r.cells / *r.seconds * 1e-6,
             *r.dofs / *r.seconds * 1e-6, *r.flops / *r.seconds * 1e-9,
             *r.bytes / *r.seconds * 1e-9, *r.stream_gbps, 100 * *r.fraction, mark);
  std::fflush(stdout);
}

} // namespace

BenchResult bench_residual(const BenchOptions &options) {
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  Timings timings;
  const Mesh mesh = make_mesh(options.mesh, timings);
  BenchResult result;
  RowMarks marks;
  result.machine = machine_record(device->info());
  fmt::print("{} on {} cells, {} nodes\n", device->info().name, mesh.num_cells(), mesh.num_nodes());
  fmt::print("{:<14} {:<4} {:<11} {:<11} {:>9} {:>9} {:>8} {:>8} {:>9} {:>10}\n", "form", "",
             "strategy", "geometry", "Mcells/s", "Mdofs/s", "GFlop/s", "GB/s", "stream",
             "of limit");
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    if (!wanted(options.precision, to_string(precision)) ||
        (precision == Precision::f64 && !device->info().has_f64))
      continue;
    PairedTimer timer(*device, precision);
    auto &machine_peak = precision == Precision::f64 ? result.machine.peak_gflops_f64
                                                     : result.machine.peak_gflops_f32;
    for (const auto &[form, order] : {std::pair{"poisson", 1}, {"poisson", 2}, {"elasticity", 1}}) {
      const std::string name = fmt::format("{}_P{}", form, order);
      if (!wanted(options.form, name))
        continue;
      const Case c = bench_case(bench_form(form, mesh.dim), order, mesh.dim);
      const Discretisation d = make_discretisation(c, mesh, bench_quadrature_degree(order));
      for (const Strategy strategy : {Strategy::transposed, Strategy::cell, Strategy::block})
        for (const GeometrySource geometry : {GeometrySource::on_the_fly, GeometrySource::stored}) {
          if (!wanted(options.strategy, to_string(strategy)) ||
              !wanted(options.geometry, to_string(geometry)))
            continue;
          OperatorSettings settings;
          settings.precision = precision;
          settings.strategy = strategy;
          settings.geometry = geometry;
          settings.form_name = name;
          FormOperator op(*device, d, settings);
          Vector u = make_vector(*device, op.size(), precision, "state");
          Vector r = make_vector(*device, op.size(), precision, "residual");
          std::vector<double> values(op.size());
          for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = 0.01 * static_cast<double>(i % 101);
          set_vector(*device, u, values);
          const auto work = [&] { op.residual(u, r); };
          work();
          KernelRecord row = make_kernel_record(op, d, IntegralKind::residual, 0);
          set_limits(row, timer.time(options.repeats, work), device->info());
          result.machine.stream_gbps =
              std::max(result.machine.stream_gbps.value_or(0), *row.stream_gbps);
          machine_peak = std::max(machine_peak.value_or(0), *row.peak_gflops);
          print_row(row, marks.mark(row));
          result.rows.push_back(row);
        }
    }
  }
  print_explained(marks);
  return result;
}

} // namespace weft
