#include <algorithm>
#include <fmt/format.h>

#include "app/bench_forms.h"
#include "app/bench_integration.h"
#include "app/kernel_timing.h"
#include "app/modelled_timing.h"
#include "base/error.h"

namespace weft {

namespace {

// Cells at size 1; those of order 2 take 80 bytes of matrix and 200 of map each.
struct AssemblyProblem {
  const char *form;
  CellType cell;
  int order;
  double num_cells;
};
constexpr AssemblyProblem problems[] = {{"poisson", CellType::tetrahedron, 1, 1.5e6},
                                        {"poisson", CellType::tetrahedron, 2, 5e5},
                                        {"poisson", CellType::prism, 1, 5e5},
                                        {"convection", CellType::prism, 1, 5e5}};
constexpr int all_leaves[] = {1, 2, 4, 8, 16, 32, 64};
constexpr int pattern_repeats = 3;

// Constant coefficients.
BenchForm assembly_form(const std::string &name) {
  if (name == "poisson")
    return {.name = name, .integrand = "inner(grad(u), grad(test(u)))"};
  return {.name = name,
          .integrand = "0.3*inner(grad(u), grad(test(u))) + dot([1, 2, 3], grad(u))*test(u)"
                       " + 0.5*u*test(u)"};
}

class AssemblyBench {
public:
  AssemblyBench(Device &device, const AssemblyProblem &problem, ModelledTimer &timer,
                const IntegrationOptions &options)
      : device_(device), problem_(problem), timer_(timer), options_(options),
        mesh_(integration_mesh(problem.cell, std::max(48.0, options.size * problem.num_cells))),
        d_(make_discretisation(bench_case(assembly_form(problem.form), problem.order, 3), mesh_,
                               bench_quadrature_degree(problem.order))) {}

  std::vector<AssemblyRow> run();

private:
  void time_pattern();
  // No row where the device or the form does not allow it.
  void add(LoopOrder order, std::optional<int> leaves);

  Device &device_;
  const AssemblyProblem &problem_;
  ModelledTimer &timer_;
  const IntegrationOptions &options_;
  Mesh mesh_;
  Discretisation d_;
  double pattern_s_ = 0;
  std::int64_t num_entries_ = 0;
  std::vector<AssemblyRow> rows_;
};

void AssemblyBench::time_pattern() {
  std::vector<double> seconds;
  for (int i = 0; i < pattern_repeats; ++i) {
    const Timer timer;
    num_entries_ = make_csr_pattern(d_).num_entries();
    seconds.push_back(timer.seconds());
  }
  pattern_s_ = median(seconds);
}

void print_row(const AssemblyRow &row) {
  const KernelRecord &r = row.record;
  fmt::print("{:<11} {:<12} {:<3} {:>8} {:>9.1f} {:>8.0f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.0f}%  "
             "{}\n",
             r.form, r.cell, r.element, *r.cells, *r.cells / *r.seconds * 1e-6,
             *r.bytes / static_cast<double>(*r.cells), *r.bytes / *r.seconds * 1e-9,
             *r.flops / *r.seconds * 1e-9, *r.stream_gbps, 100 * *r.fraction, r.variant);
  std::fflush(stdout);
}

void AssemblyBench::add(LoopOrder order, std::optional<int> leaves) {
  OperatorSettings settings;
  settings.precision = device_.info().has_f64 ? Precision::f64 : Precision::f32;
  settings.form_name = problem_.form;
  try {
    AssembledOperator op(
        device_, d_, settings,
        {.format = MatrixFormat::csr, .loop_order = order, .leaves_per_block = leaves});
    Vector state = make_vector(device_, op.size(), settings.precision, "state");
    set_vector(device_, state, std::vector<double>(op.size(), 0.0));
    op.linearise(state);
    AssemblyRow row;
    row.record = make_kernel_record(op, d_, IntegralKind::matrix, 0);
    row.record.strategy = to_string(order);
    row.pattern_s = pattern_s_;
    row.rows = op.size();
    row.entries = num_entries_;
    set_time(row.record,
             timer_.compare(timer_.time(options_.repeats, [&] { op.assemble(); }),
                            op.costs(IntegralKind::matrix), *row.record.flops, *row.record.bytes));
    // A block that is too large is made smaller: then it is a choice that was timed before.
    if (std::any_of(rows_.begin(), rows_.end(), [&](const AssemblyRow &other) {
          return other.record.variant == row.record.variant;
        }))
      return;
    print_row(row);
    rows_.push_back(row);
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::unsupported)
      throw;
  }
}

std::vector<AssemblyRow> AssemblyBench::run() {
  time_pattern();
  fmt::print("pattern of {} {} P{}: {} rows, {} entries, {:.3f} s\n", problem_.form,
             to_string(problem_.cell), problem_.order, d_.num_dofs, num_entries_, pattern_s_);
  for (const LoopOrder order : {LoopOrder::qss, LoopOrder::sqs, LoopOrder::ssq, LoopOrder::tensor})
    add(order, {});
  // States of the machine differ between rows: bytes of the stream that passed meanwhile do not.
  const auto slower = [](const AssemblyRow &a, const AssemblyRow &b) {
    const auto steady = [](const AssemblyRow &r) {
      return *r.record.seconds * *r.record.stream_gbps;
    };
    return steady(a) > steady(b);
  };
  require(!rows_.empty(), "a form is assembled in one of the loop orders");
  const std::string best = std::max_element(rows_.begin(), rows_.end(), slower)->record.strategy;
  if (AssemblyPlan::default_blocks(device_.info()))
    for (const int leaves : all_leaves)
      add(loop_order_from_name(best), leaves);
  std::max_element(rows_.begin(), rows_.end(), slower)->fastest = true;
  return rows_;
}

} // namespace

std::vector<AssemblyRow> bench_assembly(Device &device, const MachineFigures &figures,
                                        const IntegrationOptions &options) {
  fmt::print("\nassembly into compressed rows, the pattern known\n");
  fmt::print("{:<11} {:<12} {:<3} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9}  {}\n", "form", "cell",
             "", "cells", "Mcells/s", "B/cell", "GB/s", "GFlop/s", "stream", "of limit", "variant");
  ModelledTimer timer(device, device.info().has_f64 ? Precision::f64 : Precision::f32, figures);
  std::vector<AssemblyRow> rows;
  for (const AssemblyProblem &problem : problems) {
    const std::vector<AssemblyRow> more = AssemblyBench(device, problem, timer, options).run();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  for (const AssemblyRow &row : rows)
    if (row.fastest)
      fmt::print("fastest: {} {} {}: {:.1f} M cells/s, pattern {:.3f} s, {}\n", row.record.form,
                 row.record.cell, row.record.element,
                 static_cast<double>(*row.record.cells) / *row.record.seconds * 1e-6, row.pattern_s,
                 row.record.variant);
  std::fflush(stdout);
  return rows;
}

} // namespace weft
