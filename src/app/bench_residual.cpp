#include "app/bench_residual.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/kernel_timing.h"
#include "base/log.h"
#include "mesh/make_mesh.h"
#include "tune/machine_probe.h"

namespace weft {

namespace {

// Larger than caches that matter, small enough to be streamed between two timings.
constexpr std::uint64_t probe_bytes = std::uint64_t{256} << 20;

struct BenchForm {
  std::string name;
  int order;
  bool vector;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string integrand;
};

std::vector<BenchForm> forms(int dim) {
  const std::string k = dim == 3 ? "1 + x*y + z^2" : "1 + x*y";
  const std::string poisson = "k*inner(grad(u), grad(test(u)))";
  return {{"poisson_P1", 1, false, {{"k", k}}, poisson},
          {"poisson_P2", 2, false, {{"k", k}}, poisson},
          {"elasticity_P1",
           1,
           true,
           {{"mu", "0.8"}, {"lam", "1.2"}},
           "2*mu*inner(sym(grad(u)), sym(grad(test(u)))) + lam*div(u)*div(test(u))"}};
}

// The case of a form: u = 0 on the whole boundary.
Case make_case(const BenchForm &form, int dim) {
  const auto text = [](const std::string &value, const std::string &key) {
    return SourceText{.text = value, .file = "weft bench", .line = 0, .key = key};
  };
  Case c;
  c.file = form.name;
  c.form.dim = dim;
  c.form.fields = {{.name = "u", .shape = form.vector ? Shape{dim} : Shape{}, .order = form.order}};
  for (const auto &[name, value] : form.parameters)
    c.form.parameters.push_back({.name = name, .value = text(value, name)});
  c.form.integrals = {{.domain = Domain::cells, .integrand = text(form.integrand, "cells.all")}};
  c.dirichlet = {
      {.group = "boundary",
       .field = "u",
       .value = text(form.vector ? (dim == 3 ? "[0, 0, 0]" : "[0, 0]") : "0", "boundary")}};
  return c;
}

// Times a residual in turn with the bandwidth (A B A B ...). Pairs in which the bandwidth differs
// by more than a fifth from the median of all, that is, across a change of the machine's state, are
// dropped; seconds and fractions are medians of the rest.
struct PairedTiming {
  double seconds = 0, stream_gbps = 0, fraction = 0;
};

PairedTiming time_in_turn(Device &device, MachineProbe &probe, int repeats, double bytes,
                          double flops, double peak_gflops, const std::function<void()> &work) {
  work();
  device.finish();
  std::vector<double> seconds, rates;
  for (int i = 0; i < repeats; ++i) {
    seconds.push_back(time_calls(device, 1, work).front());
    rates.push_back(probe.stream_gbps(probe.best_stream()));
  }
  const double usual = median(rates);
  std::vector<double> kept_seconds, kept_rates, fractions;
  for (int i = 0; i < repeats; ++i) {
    if (std::abs(rates[i] - usual) > 0.2 * usual)
      continue;
    kept_seconds.push_back(seconds[i]);
    kept_rates.push_back(rates[i]);
    const double limit = std::max(bytes / rates[i], flops / peak_gflops) * 1e-9;
    fractions.push_back(limit / seconds[i]);
  }
  return {median(kept_seconds), median(kept_rates), median(fractions)};
}

bool wanted(const std::string &filter, const std::string &name) {
  return filter.empty() || filter == name;
}

void print_row(const KernelRecord &r) {
  fmt::print("{:<14} {:<4} {:<11} {:<11} {:>9.1f} {:>9.1f} {:>8.1f} {:>8.1f} {:>9.1f} {:>9.0f}%\n",
             r.form, r.precision, r.strategy, r.geometry, *r.cells / *r.seconds * 1e-6,
             *r.dofs / *r.seconds * 1e-6, *r.flops / *r.seconds * 1e-9,
             *r.bytes / *r.seconds * 1e-9, *r.stream_gbps, 100 * *r.fraction);
  std::fflush(stdout);
}

} // namespace

BenchResult bench_residual(const BenchOptions &options) {
  const std::unique_ptr<Device> device = open_device(options.device, options.threads);
  Timings timings;
  const Mesh mesh = make_mesh(options.mesh, timings);
  BenchResult result;
  result.machine = {.device = device->info().name,
                    .driver = device->info().driver,
                    .cores = device->info().compute_units};
  fmt::print("{} on {} cells, {} nodes\n", device->info().name, mesh.num_cells(), mesh.num_nodes());
  fmt::print("{:<14} {:<4} {:<11} {:<11} {:>9} {:>9} {:>8} {:>8} {:>9} {:>10}\n", "form", "",
             "strategy", "geometry", "Mcells/s", "Mdofs/s", "GFlop/s", "GB/s", "stream",
             "of limit");
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    if (!wanted(options.precision, to_string(precision)) ||
        (precision == Precision::f64 && !device->info().has_f64))
      continue;
    MachineProbe probe(*device, precision, probe_bytes);
    const double peak = probe.peak_gflops();
    (precision == Precision::f64 ? result.machine.peak_gflops_f64
                                 : result.machine.peak_gflops_f32) = peak;
    for (const BenchForm &form : forms(mesh.dim)) {
      if (!wanted(options.form, form.name))
        continue;
      const Case c = make_case(form, mesh.dim);
      const Discretisation d = make_discretisation(c, mesh, 2 * (form.order - 1) + 1);
      for (const Strategy strategy : {Strategy::transposed, Strategy::cell, Strategy::block})
        for (const GeometrySource geometry : {GeometrySource::on_the_fly, GeometrySource::stored}) {
          if (!wanted(options.strategy, to_string(strategy)) ||
              !wanted(options.geometry, to_string(geometry)))
            continue;
          OperatorSettings settings;
          settings.precision = precision;
          settings.strategy = strategy;
          settings.geometry = geometry;
          settings.form_name = form.name;
          FormOperator op(*device, d, settings);
          Vector u = make_vector(*device, op.size(), precision, "state");
          Vector r = make_vector(*device, op.size(), precision, "residual");
          std::vector<double> values(op.size());
          for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = 0.01 * static_cast<double>(i % 101);
          set_vector(*device, u, values);
          const auto work = [&] { op.residual(u, r); };
          work();
          const double flops = op.flops(IntegralKind::residual);
          const double bytes = op.bytes(IntegralKind::residual);
          const PairedTiming timing =
              time_in_turn(*device, probe, options.repeats, bytes, flops, peak, work);
          KernelRecord row = make_kernel_record(op, d, IntegralKind::residual, timing.seconds);
          row.stream_gbps = timing.stream_gbps;
          row.peak_gflops = peak;
          row.fraction = timing.fraction;
          result.machine.stream_gbps =
              std::max(result.machine.stream_gbps.value_or(0), timing.stream_gbps);
          print_row(row);
          result.rows.push_back(row);
        }
    }
  }
  return result;
}

} // namespace weft
