#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "base/error.h"
#include "bench/bench_forms.h"
#include "bench/integration/bench_integration.h"
#include "bench/row_marks.h"
#include "op/set_up/make_csr_pattern.h"
#include "op/set_up/make_discretisation.h"
#include "run/explain/modelled_timing.h"
#include "run/kernel_timing.h"
#include "run/model/form_record.h"

namespace weft {

namespace {

// Cells at size 1.
struct AssemblyProblem {
  const char *form;
  CellType cell;
  int order;
  double num_cells;
};
constexpr AssemblyProblem assembly_problems[] = {{"poisson", CellType::tetrahedron, 1, 1.5e6},
                                                 {"poisson", CellType::tetrahedron, 2, 5e5},
                                                 {"poisson", CellType::prism, 1, 5e5},
                                                 {"conv_diff", CellType::prism, 1, 5e5}};
constexpr int pattern_repeats = 3;

// Constant coefficients.
BenchForm assembly_form(const std::string &name) {
  if (name == "poisson")
    return {.name = name, .integrand = "inner(grad(u), grad(test(u)))"};
  return {.name = name,
          .integrand = "0.3*inner(grad(u), grad(test(u))) + dot([1, 2, 3], grad(u))*test(u)"
                       " + 0.5*u*test(u)"};
}

// One choice, with what is needed to time it again.
struct TimedAssembly {
  std::unique_ptr<AssembledOperator> op;
  PairedSamples samples;
  AssemblyRow row;
};

class AssemblyBench {
public:
  AssemblyBench(Device &device, const AssemblyProblem &problem, ModelledTimer &timer,
                const IntegrationOptions &options)
      : device_(device), problem_(problem), timer_(timer), options_(options),
        mesh_(integration_mesh(problem.cell, std::max(48.0, options.size * problem.num_cells))),
        d_(make_discretisation(bench_case(assembly_form(problem.form), problem.order, 3), mesh_,
                               bench_quadrature_degree(problem.order))) {}

  // Prints a line a row.
  std::vector<AssemblyRow> run(RowMarks &marks);

private:
  void time_pattern();
  // Nothing where the device or the form does not allow it, or it is there.
  void add(LoopOrder order, std::optional<int> leaves);
  void time_in_turn();
  AssemblyRow &fastest();

  Device &device_;
  const AssemblyProblem &problem_;
  ModelledTimer &timer_;
  const IntegrationOptions &options_;
  Mesh mesh_;
  Discretisation d_;
  double pattern_s_ = 0;
  std::int64_t num_entries_ = 0;
  std::vector<TimedAssembly> entries_;
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

void print_row(const AssemblyRow &row, const std::string &mark) {
  const KernelRecord &r = row.record;
  const auto cells = static_cast<double>(*r.cells);
  fmt::print("{:<11} {:<12} {:<3} {:>8} {:>9.1f} {:>8.0f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.0f}%  "
             "{}{}{}\n",
             r.form, r.cell, r.element, *r.cells, cells / *r.seconds * 1e-6, *r.bytes / cells,
             *r.bytes / *r.seconds * 1e-9, *r.flops / *r.seconds * 1e-9, *r.stream_gbps,
             100 * *r.fraction, r.variant, row.fastest ? " (fastest)" : "",
             mark.empty() ? "" : "  " + mark);
  std::fflush(stdout);
}

void AssemblyBench::add(LoopOrder order, std::optional<int> leaves) {
  OperatorSettings settings;
  settings.precision = device_.info().has_f64 ? Precision::f64 : Precision::f32;
  settings.form_name = problem_.form;
  TimedAssembly entry;
  try {
    entry.op = std::make_unique<AssembledOperator>(device_, d_, settings,
                                                   AssemblySettings{.format = MatrixFormat::csr,
                                                                    .loop_order = order,
                                                                    .leaves_per_block = leaves});
    Vector state = make_vector(device_, entry.op->size(), settings.precision, "state");
    set_vector(device_, state, std::vector<double>(entry.op->size(), 0.0));
    entry.op->linearise(state);
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::unsupported)
      throw;
    return;
  }
  entry.row.record = make_kernel_record(*entry.op, d_, IntegralKind::matrix, 0);
  entry.row.record.strategy = to_string(order);
  entry.row.pattern_s = pattern_s_;
  entry.row.rows = entry.op->size();
  entry.row.entries = num_entries_;
  // A block that is too large is made smaller: then it is a choice that is there.
  if (std::none_of(entries_.begin(), entries_.end(), [&](const TimedAssembly &other) {
        return other.row.record.variant == entry.row.record.variant;
      }))
    entries_.push_back(std::move(entry));
}

// In rounds: what drifts drifts for all choices alike.
void AssemblyBench::time_in_turn() {
  for (TimedAssembly &entry : entries_)
    entry.samples = {};
  for (int round = 0; round < options_.repeats; ++round)
    for (TimedAssembly &entry : entries_) {
      entry.samples.add(timer_.time(1, [&] { entry.op->assemble(); }));
    }
  for (TimedAssembly &entry : entries_)
    set_time(entry.row.record, timer_.compare(entry.samples, entry.op->costs(IntegralKind::matrix),
                                              *entry.row.record.flops, *entry.row.record.bytes));
}

AssemblyRow &AssemblyBench::fastest() {
  require(!entries_.empty(), "a form is assembled in one of the loop orders");
  return std::min_element(entries_.begin(), entries_.end(),
                          [](const TimedAssembly &a, const TimedAssembly &b) {
                            return *a.row.record.seconds < *b.row.record.seconds;
                          })
      ->row;
}

std::vector<AssemblyRow> AssemblyBench::run(RowMarks &marks) {
  time_pattern();
  fmt::print("pattern of {} {} P{}: {} rows, {} entries, {:.3f} s\n", problem_.form,
             to_string(problem_.cell), problem_.order, d_.num_global, num_entries_, pattern_s_);
  for (const LoopOrder order : {LoopOrder::qss, LoopOrder::sqs, LoopOrder::ssq, LoopOrder::tensor})
    add(order, {});
  time_in_turn();
  if (AssemblyPlan::default_blocks(device_.info())) {
    const LoopOrder best = loop_order_from_name(fastest().record.strategy);
    for (const int leaves : options_.leaves)
      add(best, leaves);
    time_in_turn();
  }
  fastest().fastest = true;
  std::vector<AssemblyRow> rows;
  for (const TimedAssembly &entry : entries_) {
    print_row(entry.row, marks.mark(entry.row.record));
    rows.push_back(entry.row);
  }
  return rows;
}

} // namespace

std::vector<AssemblyRow> bench_assembly(Device &device, const MachineFigures &figures,
                                        const IntegrationOptions &options) {
  fmt::print("\nassembly into compressed rows, the pattern known\n");
  fmt::print("{:<11} {:<12} {:<3} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9}  {}\n", "form", "cell",
             "", "cells", "Mcells/s", "B/cell", "GB/s", "GFlop/s", "stream", "of limit", "variant");
  ModelledTimer timer(device, device.info().has_f64 ? Precision::f64 : Precision::f32, figures);
  std::vector<AssemblyRow> rows;
  RowMarks marks;
  for (const AssemblyProblem &problem : assembly_problems) {
    if ((!options.form.empty() && options.form != problem.form) ||
        (!options.cell.empty() && options.cell != to_string(problem.cell)))
      continue;
    const std::vector<AssemblyRow> more = AssemblyBench(device, problem, timer, options).run(marks);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  for (const AssemblyRow &row : rows)
    if (row.fastest)
      fmt::print("fastest: {} {} {}: {:.1f} M cells/s, pattern {:.3f} s, {}\n", row.record.form,
                 row.record.cell, row.record.element,
                 static_cast<double>(*row.record.cells) / *row.record.seconds * 1e-6, row.pattern_s,
                 row.record.variant);
  print_explained(marks);
  return rows;
}

} // namespace weft
