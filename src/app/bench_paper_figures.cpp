#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "app/bench_paper.h"
#include "app/kernel_timing.h"
#include "app/modelled_timing.h"
#include "app/paper_problem.h"
#include "base/error.h"

namespace weft {

namespace {

// A panel of the figures: form, dimension, precision.
using Panel = std::tuple<std::string, int, Precision>;

class Figures {
public:
  Figures(Device &device, const MachineFigures &figures, const FigureOptions &options)
      : device_(device), figures_(figures), options_(options) {}
  std::vector<PaperRow> run();

private:
  std::vector<Precision> precisions() const;
  ModelledTimer &timer(Precision precision);
  // Calls `use` for each form, with its discretisation, that is not too large.
  void for_forms(const Mesh &mesh,
                 const std::function<void(const std::string &, const Discretisation &)> &use);
  // Times the other strategies for the panels of this mesh's dimension that lack one.
  void choose_others(const Mesh &mesh);
  bool chosen(int dim) const; // for all of them
  void add_rows(const Panel &panel, const Discretisation &d);
  // A row without figures.
  PaperRow empty_row(const Panel &panel, const Discretisation &d, const OperatorSettings &settings,
                     const std::string &work) const;
  void add_row(ResidualRun &run, const Discretisation &d, PaperRow row);
  void add_reason(PaperRow row, const Error &error);
  void print(const PaperRow &row) const;

  Device &device_;
  const MachineFigures &figures_;
  const FigureOptions &options_;
  std::map<Precision, std::unique_ptr<ModelledTimer>> timers_;
  std::map<Panel, OperatorSettings> others_; // the fastest of the other strategies
  std::vector<PaperRow> rows_;
};

// What a device does not do, or has no room for, is said in a row; anything else is an error.
void rethrow_unless_of_device(const Error &error) {
  if (error.kind() != ErrorKind::unsupported && error.kind() != ErrorKind::system)
    throw error;
}

std::vector<Precision> Figures::precisions() const {
  if (device_.info().has_f64)
    return {Precision::f32, Precision::f64};
  return {Precision::f32};
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
    if (static_cast<double>(d.num_dofs) <= options_.most_unknowns)
      use(form, d);
  }
}

void Figures::choose_others(const Mesh &mesh) {
  for_forms(mesh, [&](const std::string &form, const Discretisation &d) {
    for (const Precision precision : precisions()) {
      double best_s = 0;
      const Panel panel{form, mesh.dim, precision};
      if (others_.count(panel) > 0)
        continue;
      for (const Strategy strategy : {Strategy::block, Strategy::cell})
        for (const GeometrySource geometry : {GeometrySource::on_the_fly, GeometrySource::stored}) {
          OperatorSettings settings;
          settings.precision = precision;
          settings.strategy = strategy;
          settings.geometry = geometry;
          settings.form_name = form;
          try {
            ResidualRun run(device_, d, settings);
            const double seconds =
                median(timer(precision).time(options_.repeats, [&] { run.residual(); }),
                       [](const auto &s) { return s.seconds; });
            if (best_s == 0 || seconds < best_s) {
              best_s = seconds;
              others_[panel] = settings;
            }
          } catch (const Error &error) {
            rethrow_unless_of_device(error); // another one may do
          }
        }
    }
  });
}

bool Figures::chosen(int dim) const {
  for (const std::string &form : options_.forms)
    for (const Precision precision : precisions())
      if (others_.count({form, dim, precision}) == 0)
        return false;
  return true;
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
  row.record.dofs = d.num_dofs;
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

void Figures::print(const PaperRow &row) const {
  const KernelRecord &r = row.record;
  fmt::print("{:<10} {:<11} {} {:>8} {:<11} {:<10} {:<11} ", r.form, r.cell, r.precision, *r.dofs,
             row.work, r.strategy, r.geometry);
  if (row.reason.empty())
    fmt::print("{:>9.2f} {:>9.2f} {:>8.2f}\n", row.paper_gflops(), row.predicted_gflops(),
               *r.flops / *r.seconds * 1e-9);
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
    // At a size larger than caches, so that what suits large problems is chosen; smaller where a
    // form's problem would be too large.
    for (std::size_t size = 2 * options_.nodes.size() / 3 + 1; size-- > 0 && !chosen(dim);)
      choose_others(paper_mesh(dim, paper_edges(dim, options_.nodes[size])));
    for (const double nodes : options_.nodes) {
      const Mesh mesh = paper_mesh(dim, paper_edges(dim, nodes));
      for_forms(mesh, [&](const std::string &form, const Discretisation &d) {
        for (const Precision precision : precisions())
          add_rows({form, dim, precision}, d);
      });
    }
  }
  return std::move(rows_);
}

} // namespace

std::vector<PaperRow> bench_paper_figures(Device &device, const MachineFigures &figures,
                                          const FigureOptions &options) {
  return Figures(device, figures, options).run();
}

} // namespace weft
