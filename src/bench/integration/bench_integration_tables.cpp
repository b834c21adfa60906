#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "bench/bench_forms.h"
#include "bench/integration/bench_integration.h"
#include "bench/integration/matrix_search.h"
#include "bench/row_marks.h"
#include "output/progress.h"
#include "run/explain/modelled_timing.h"
#include "run/kernel_timing.h"

namespace weft {

namespace {

// Element matrices and vectors of some hundred megabytes, several times the last cache.
constexpr double num_tetrahedra = 1e6, num_prisms = 5e5;
// Sizes of the meshes on which kernels are compared with the reference; no multiple of lane groups.
constexpr double small_tetrahedra = 162, small_prisms = 54;

Precision widest_precision(const Device &device) {
  return device.info().has_f64 ? Precision::f64 : Precision::f32;
}

double num_cells(CellType cell, double size) {
  return std::max(24.0, size * (cell == CellType::prism ? num_prisms : num_tetrahedra));
}

// Everything of one problem that its three rows share.
class ProblemBench {
public:
  ProblemBench(Device &device, const IntegrationProblem &problem, ModelledTimer &timer,
               const IntegrationOptions &options)
      : device_(device), problem_(problem), timer_(timer), options_(options),
        mesh_(integration_mesh(problem.cell, num_cells(problem.cell, options.size))),
        small_mesh_(integration_mesh(
            problem.cell, problem.cell == CellType::prism ? small_prisms : small_tetrahedra)),
        d_(integration_discretisation(problem, mesh_)),
        small_(integration_discretisation(problem, small_mesh_)), integrals_(d_),
        small_integrals_(small_) {}

  IntegrationRow run(LoopOrder order);

private:
  void set_record(KernelRecord &record, const MatrixSearchOutcome &outcome) const;
  void set_own_counts(IntegrationRow &row, MatrixCandidate candidate) const;
  void set_times(IntegrationRow &row, const PairedSamples &samples,
                 const ElementMatrices &matrices);

  Device &device_;
  IntegrationProblem problem_;
  ModelledTimer &timer_;
  const IntegrationOptions &options_;
  Mesh mesh_, small_mesh_;
  Discretisation d_, small_;
  FormIntegrals integrals_, small_integrals_;
};

void ProblemBench::set_record(KernelRecord &record, const MatrixSearchOutcome &outcome) const {
  const IntegralLaunch &launch = outcome.run->matrices().launch();
  record.kernel = launch.source.name;
  record.form = problem_.form;
  record.cell = to_string(problem_.cell);
  record.element = "P1";
  record.strategy = to_string(outcome.best.variant.loop_order);
  record.geometry = to_string(outcome.best.geometry);
  record.variant = launch.variant;
  record.device = device_.info().name;
  if (device_.info().is_cpu)
    record.threads = device_.info().compute_units;
  record.precision = to_string(widest_precision(device_));
  record.cells = launch.num_cells;
  record.dofs = d_.num_global;
  record.flops = launch.needed.flops();
  record.bytes = launch.cost.bytes();
}

void ProblemBench::set_own_counts(IntegrationRow &row, MatrixCandidate candidate) const {
  candidate.geometry = GeometrySource::on_the_fly;
  const MatrixRun run(device_, integrals_, candidate, widest_precision(device_), problem_.form);
  row.own_bytes = run.matrices().launch().cost.bytes();
  row.own_flops = run.matrices().launch().needed.flops();
  for (std::size_t a = 0; a < shared_arrays.size(); ++a) {
    MatrixVariant variant = candidate.variant;
    variant.local = shared_arrays[a];
    row.own_shared_accesses[a] = matrix_cell_cost(run.matrices().integral(), variant).local_reals;
  }
}

void ProblemBench::set_times(IntegrationRow &row, const PairedSamples &samples,
                             const ElementMatrices &matrices) {
  const auto cells = static_cast<double>(*row.record.cells);
  const auto real = static_cast<double>(size_bytes(widest_precision(device_)));
  const double paper_bytes = cells * real * paper_accesses(problem_);
  const double paper_flops = cells * paper_operations(problem_, row.loop_order);
  const double bytes = std::min(paper_bytes, row.own_bytes);
  const double flops = std::min(paper_flops, row.own_flops);
  set_time(row.record,
           timer_.compare(samples, {{row.record.kernel, matrices.launch().cost}}, flops, bytes));
  const auto limit = [&](double b, double f) {
    return median(samples, [&](const auto &s) { return s.limit_s(b, f); });
  };
  const auto fraction = [&](double b, double f) {
    return median(samples, [&](const auto &s) { return s.limit_s(b, f) / s.seconds; });
  };
  row.paper_limit_s = limit(paper_bytes, paper_flops);
  row.paper_fraction = fraction(paper_bytes, paper_flops);
  row.own_limit_s = limit(row.own_bytes, row.own_flops);
  row.own_fraction = fraction(row.own_bytes, row.own_flops);
}

IntegrationRow ProblemBench::run(LoopOrder order) {
  const Precision precision = widest_precision(device_);
  MatrixSearchOutcome outcome = search_matrix_kernel(device_, integrals_, small_,
                                                     {.loop_order = order,
                                                      .precision = precision,
                                                      .form_name = problem_.form,
                                                      .budget_s = options_.budget_s});
  const ElementMatrices &matrices = outcome.run->matrices();
  const CellIntegral &integral = matrices.integral();
  require(integral.num_rows() == problem_.num_shapes() &&
              integral.num_points() == problem_.num_points(),
          "shape functions and points as in the paper");
  IntegrationRow row;
  row.problem = problem_;
  row.loop_order = order;
  row.num_candidates = outcome.num_candidates;
  row.num_timed = outcome.num_timed;
  row.num_unsupported = outcome.num_unsupported;
  set_record(row.record, outcome);
  set_own_counts(row, outcome.best);
  set_times(row, timer_.time(options_.repeats, [&] { outcome.run->compute(); }), matrices);
  MatrixRun small(device_, small_integrals_, outcome.best, precision, problem_.form);
  small.compute();
  row.difference = difference_from_reference(small, small_);
  return row;
}

std::string problem_name(const IntegrationProblem &problem) {
  return fmt::format("{} {}", problem.form, problem.cell == CellType::prism ? "prism" : "tetra");
}

class Tables {
public:
  // Of every problem the same loop orders.
  explicit Tables(const std::vector<IntegrationRow> &rows) : rows_(rows) {
    for (const IntegrationRow &row : rows) {
      if (row.loop_order == rows.front().loop_order)
        problems_.push_back(row.problem);
      if (std::find(orders_.begin(), orders_.end(), row.loop_order) == orders_.end())
        orders_.push_back(row.loop_order);
    }
  }
  void print() const {
    print_table3();
    print_table4();
    print_table5();
    print_limits();
    print_winners();
  }

private:
  using ProblemText = std::function<std::string(const IntegrationProblem &)>;
  using RowText = std::function<std::string(const IntegrationRow &)>;

  const IntegrationRow &row_of(const IntegrationProblem &p, LoopOrder order) const {
    return *std::find_if(rows_.begin(), rows_.end(), [&](const IntegrationRow &r) {
      return r.problem.form == p.form && r.problem.cell == p.cell && r.loop_order == order;
    });
  }
  // A line of a table with a text for each problem.
  void print_line(const std::string &name, const ProblemText &text) const {
    fmt::print("{:<44}", name);
    for (const IntegrationProblem &problem : problems_)
      fmt::print("{:>18}", text(problem));
    fmt::print("\n");
  }
  void print_head(const std::string &title) const {
    fmt::print("\n");
    print_line(title, problem_name);
  }
  void print_orders(const std::string &what, const RowText &text) const {
    for (const LoopOrder order : orders_)
      print_line(to_string(order) + what, [&](const auto &p) { return text(row_of(p, order)); });
  }
  void print_table3() const;
  void print_table4() const;
  void print_table5() const;
  void print_limits() const; // tables 6 and 7
  void print_winners() const;

  const std::vector<IntegrationRow> &rows_;
  std::vector<IntegrationProblem> problems_;
  std::vector<LoopOrder> orders_;
};

void Tables::print_table3() const {
  print_head("table 3: sizes in reals, by the paper");
  const auto line = [&](const char *name, int IntegrationSizes::*member) {
    print_line(name, [&](const auto &p) { return std::to_string(paper_sizes(p).*member); });
  };
  print_line("shape functions", [](const auto &p) { return std::to_string(p.num_shapes()); });
  print_line("integration points", [](const auto &p) { return std::to_string(p.num_points()); });
  line("integration data of the reference cell", &IntegrationSizes::reference);
  line("geometry (input)", &IntegrationSizes::geometry);
  line("coefficients (input)", &IntegrationSizes::coefficients);
  line("stiffness matrix (output)", &IntegrationSizes::matrix);
  line("load vector (output)", &IntegrationSizes::vector);
  line("QSS, one point: coefficients", &IntegrationSizes::point_coefficients);
  line("  shape functions and derivatives", &IntegrationSizes::point_shapes);
  line("  total with matrix and vector", &IntegrationSizes::point_total);
  line("QSS, all points: coefficients", &IntegrationSizes::all_coefficients);
  line("  shape functions and derivatives", &IntegrationSizes::all_shapes);
  line("  total with matrix and vector", &IntegrationSizes::all_total);
  line("SSQ, all points: coefficients", &IntegrationSizes::ssq_coefficients);
  line("  shape functions and derivatives", &IntegrationSizes::ssq_shapes);
  line("  total with one entry of each", &IntegrationSizes::ssq_total);
}

void Tables::print_table4() const {
  print_head("table 4: of a cell, the paper's / ours");
  print_orders(" accesses, reals", [](const IntegrationRow &r) {
    return fmt::format("{} / {:.1f}", paper_accesses(r.problem), r.own_accesses());
  });
  print_orders(" operations", [](const IntegrationRow &r) {
    return fmt::format("{} / {:.0f}", paper_operations(r.problem, r.loop_order),
                       r.own_operations());
  });
  print_orders(" intensity", [](const IntegrationRow &r) {
    return fmt::format("{:.0f} / {:.0f}",
                       static_cast<double>(paper_operations(r.problem, r.loop_order)) /
                           paper_accesses(r.problem),
                       r.own_operations() / r.own_accesses());
  });
  if (std::find(orders_.begin(), orders_.end(), LoopOrder::qss) == orders_.end())
    return;
  print_head("table 4, QSS: accesses to shared memory");
  constexpr std::array names = {"geometry in it", "coefficients", "shape functions",
                                "matrix (paper: and vector)"};
  for (std::size_t a = 0; a < names.size(); ++a)
    print_line(names[a], [&](const auto &p) {
      return fmt::format("{} / {:.0f}", paper_shared_accesses(p, shared_arrays[a]),
                         row_of(p, LoopOrder::qss).own_shared_accesses[a]);
    });
}

// Of the machine while each row was timed; the paper's of benchmarks (STREAM, DGEMM) are 61 on its
// GPU, 39 on its Xeon Phi, 21 on its Xeons.
void Tables::print_table5() const {
  print_head("table 5: limiting intensity, fp64");
  const auto of = [](const IntegrationRow &r) {
    return limiting_intensity(*r.record.peak_gflops, *r.record.stream_gbps);
  };
  print_orders(" measured beside",
               [&](const IntegrationRow &r) { return fmt::format("{:.0f}", of(r)); });
  print_orders(" limited by, paper's / ours", [&](const IntegrationRow &r) {
    const auto limit = [&](double intensity) { return intensity < of(r) ? "memory" : "flops"; };
    return fmt::format("{} / {}",
                       limit(static_cast<double>(paper_operations(r.problem, r.loop_order)) /
                             paper_accesses(r.problem)),
                       limit(r.own_operations() / r.own_accesses()));
  });
}

void Tables::print_limits() const {
  print_head("table 6: least ns a cell, by the paper's / our count");
  print_orders("", [](const IntegrationRow &r) {
    return fmt::format("{:.2f} / {:.2f}", r.ns_a_cell(r.paper_limit_s), r.ns_a_cell(r.own_limit_s));
  });
  print_head("table 7: measured ns a cell (paper's / our limit)");
  print_orders("", [](const IntegrationRow &r) {
    return fmt::format("{:.2f} ({:.0f}/{:.0f}%)", r.ns_a_cell(*r.record.seconds),
                       100 * r.paper_fraction, 100 * r.own_fraction);
  });
  print_orders(" of the smaller count's", [](const IntegrationRow &r) {
    return fmt::format("{:.0f}%", 100 * *r.record.fraction);
  });
}

void Tables::print_winners() const {
  RowMarks marks;
  fmt::print("\nfastest found\n");
  for (const IntegrationRow &r : rows_) {
    const std::string mark = marks.mark(r.record);
    fmt::print("{:<16} {} {:>5.1f} GB/s {:>6.1f} GFlop/s; {} of {} timed; {}, {}{}\n",
               problem_name(r.problem), to_string(r.loop_order),
               *r.record.bytes / *r.record.seconds * 1e-9,
               *r.record.flops / *r.record.seconds * 1e-9, r.num_timed, r.num_candidates,
               r.record.variant, r.record.geometry, mark.empty() ? "" : "  " + mark);
  }
  print_explained(marks);
}

} // namespace

double IntegrationRow::own_accesses() const {
  const double real = record.precision == to_string(Precision::f64) ? 8 : 4;
  return own_bytes / static_cast<double>(*record.cells) / real;
}

double IntegrationRow::own_operations() const {
  return own_flops / static_cast<double>(*record.cells);
}

double IntegrationRow::ns_a_cell(double seconds) const {
  return 1e9 * seconds / static_cast<double>(*record.cells);
}

std::vector<IntegrationRow> bench_integration_tables(Device &device, const MachineFigures &figures,
                                                     const IntegrationOptions &options) {
  std::vector<IntegrationRow> rows;
  ModelledTimer timer(device, widest_precision(device), figures);
  Progress progress("element matrices", "");
  std::vector<LoopOrder> orders(paper_loop_orders.begin(), paper_loop_orders.end());
  if (!options.order.empty())
    orders = {loop_order_from_name(options.order)};
  std::vector<IntegrationProblem> problems;
  for (const IntegrationProblem &problem : integration_problems())
    if (wanted(options.form, problem.form) && wanted(options.cell, to_string(problem.cell)))
      problems.push_back(problem);
  const std::size_t all = problems.size() * orders.size();
  for (const IntegrationProblem &problem : problems) {
    ProblemBench bench(device, problem, timer, options);
    for (const LoopOrder order : orders) {
      rows.push_back(bench.run(order));
      progress.update(static_cast<double>(rows.size()) / static_cast<double>(all));
    }
  }
  Tables(rows).print();
  return rows;
}

} // namespace weft
