#include "bench/linalg/bench_spmv.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/bench_forms.h"
#include "bench/bench_options.h"
#include "bench/row_marks.h"
#include "case/user_settings.h"
#include "device/machine_record_of.h"
#include "mesh/make/make_mesh.h"
#include "op/assembly/assembled_operator.h"
#include "op/set_up/make_csr_pattern.h"
#include "op/set_up/make_discretisation.h"
#include "run/explain/paired_timing.h"
#include "run/model/form_record.h"

namespace weft {

namespace {

MeshSpec bench_mesh(const SpmvOptions &options) {
  MeshSpec spec;
  const int n = std::max(2, static_cast<int>(std::lround(std::cbrt(options.nodes))) - 1);
  if (options.mesh_file.empty())
    spec.box = BoxSpec{.dim = 3, .cells = {n, n, n}, .cell = "tetrahedron", .distort = 0.2};
  else
    spec.file = options.mesh_file;
  spec.trust = trusts_foreign_code(options.trust);
  return spec;
}

class SpmvBench {
public:
  SpmvBench(Device &device, const Discretisation &d, const SpmvOptions &options)
      : device_(device), d_(d), options_(options) {}

  void run(Precision precision, PairedTimer &timer, BenchResult &result);
  const RowMarks &marks() const { return marks_; }

private:
  KernelRecord row(AssembledOperator &op, IntegralKind kind, PairedTimer &timer,
                   const std::function<void()> &work);
  void print(const KernelRecord &r);

  Device &device_;
  const Discretisation &d_;
  const SpmvOptions &options_;
  RowMarks marks_;
};

KernelRecord SpmvBench::row(AssembledOperator &op, IntegralKind kind, PairedTimer &timer,
                            const std::function<void()> &work) {
  // A product reads nearly all that it moves.
  const bool is_product = kind == IntegralKind::linearised;
  KernelRecord record = make_kernel_record(op, d_, kind, 0);
  record.strategy = "assembled";
  record.cells = d_.mesh->num_cells();
  set_limits(
      record,
      timer.time(options_.repeats, work, is_product ? &MachineProbe::read_stream() : nullptr),
      device_.info());
  return record;
}

void SpmvBench::print(const KernelRecord &r) {
  fmt::print("{:<60} {:<4} {:>9.1f} {:>9.1f} {:>8.1f} {:>8.1f} {:>9.1f} {:>9.0f}% {}\n", r.kernel,
             r.precision, *r.cells / *r.seconds * 1e-6, *r.dofs / *r.seconds * 1e-6,
             *r.flops / *r.seconds * 1e-9, *r.bytes / *r.seconds * 1e-9, *r.stream_gbps,
             100 * *r.fraction, marks_.mark(r));
  std::fflush(stdout);
}

void SpmvBench::run(Precision precision, PairedTimer &timer, BenchResult &result) {
  OperatorSettings settings;
  settings.precision = precision;
  settings.form_name = fmt::format("{}_P{}", options_.form, options_.order);
  bool first = true;
  for (const MatrixFormat format : {MatrixFormat::csr, MatrixFormat::sell}) {
    if (!wanted(options_.format, to_string(format)))
      continue;
    AssembledOperator op(device_, d_, settings, {.format = format});
    const auto vector = [&](const char *purpose) {
      Vector v = make_vector(device_, op.size(), precision, purpose);
      std::vector<double> values(op.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = 0.01 * static_cast<double>(i % 101);
      set_vector(device_, v, values);
      return v;
    };
    const Vector x = vector("x");
    Vector y = vector("y");
    op.linearise(x);
    std::vector<KernelRecord> rows;
    if (first)
      rows.push_back(row(op, IntegralKind::matrix, timer, [&] { op.assemble(); }));
    first = false;
    rows.push_back(row(op, IntegralKind::linearised, timer, [&] { op.apply(x, y); }));
    rows.back().variant = "format=" + to_string(format);
    for (const KernelRecord &record : rows) {
      print(record);
      result.rows.push_back(record);
      result.machine.stream_gbps =
          std::max(result.machine.stream_gbps.value_or(0), *record.stream_gbps);
    }
  }
}

} // namespace

BenchResult bench_spmv(const SpmvOptions &options) {
  const std::unique_ptr<Device> device = open_bench_device(options.device, options.threads);
  Timings timings;
  const Mesh mesh = make_mesh(bench_mesh(options), timings);
  const Case c = bench_case(bench_form(options.form, mesh.dim), options.order, mesh.dim);
  const Discretisation d = make_discretisation(c, mesh, bench_quadrature_degree(options.order));
  BenchResult result;
  result.machine = machine_record(device->info());
  const Timer timer;
  const CsrPattern pattern = make_csr_pattern(d);
  fmt::print("{} on {} cells: {} rows, {} entries; their pattern took {:.2f} s\n",
             device->info().name, mesh.num_cells(), pattern.num_rows, pattern.num_entries(),
             timer.seconds());
  fmt::print("{:<60} {:<4} {:>9} {:>9} {:>8} {:>8} {:>9} {:>10}\n", "kernel", "", "Mcells/s",
             "Mdofs/s", "GFlop/s", "GB/s", "stream", "of limit");
  SpmvBench bench(*device, d, options);
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    if (!wanted(options.precision, to_string(precision)) ||
        (precision == Precision::f64 && !device->info().has_f64))
      continue;
    PairedTimer paired(*device, precision);
    bench.run(precision, paired, result);
  }
  print_explained(bench.marks());
  return result;
}

} // namespace weft
