// Figures 3 to 5 of Banas, Kruzel and Bielanski from the rows of the tables: this machine beside
// the paper's three.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "bench/integration/bench_integration.h"
#include "output/plot/plot.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;
using OfProblems = std::array<double, 4>; // of each problem

// The best times of table 7, in nanoseconds a cell, and the benchmarks of table 5.
struct PaperMachine {
  const char *name;
  OfProblems ns;
  double stream_gbps, dgemm_gflops;
};
constexpr PaperMachine paper_machines[] = {
    {"Tesla K20m (paper)", {2.02, 12.80, 4.46, 15.58}, 144, 1100},
    {"Xeon Phi 5110P (paper)", {8.77, 25.09, 15.97, 33.29}, 171, 840},
    {"2 x Xeon E5-2620 (paper)", {17.76, 49.74, 24.86, 64.27}, 67, 180}};

// Bars of one machine.
struct Bars {
  std::string name;
  OfProblems ns{}, gbps{}, gflops{}, percent{};
};

// Accesses and operations by the paper's count, whatever order the fastest kernel has: that of QSS,
// which does each quantity once.
double bytes_a_cell(const IntegrationProblem &problem) {
  return 8.0 * paper_accesses(problem);
}

Bars bars_of(const PaperMachine &machine) {
  Bars bars{.name = machine.name, .ns = machine.ns};
  for (std::size_t p = 0; p < bars.ns.size(); ++p) {
    const IntegrationProblem &problem = integration_problems()[p];
    bars.gbps[p] = bytes_a_cell(problem) / bars.ns[p];
    bars.gflops[p] = paper_operations(problem, LoopOrder::qss) / bars.ns[p];
  }
  // As figure 5 has it: of the bandwidth for tetrahedra, and on the GPU for prisms too.
  const bool gpu = &machine == paper_machines;
  for (std::size_t p = 0; p < bars.ns.size(); ++p)
    bars.percent[p] = integration_problems()[p].cell == CellType::tetrahedron || gpu
                          ? 100 * bars.gbps[p] / machine.stream_gbps
                          : 100 * bars.gflops[p] / machine.dgemm_gflops;
  return bars;
}

// The fastest row of each problem; none where one is missing.
std::optional<Bars> bars_of(const std::vector<Json> &rows) {
  Bars bars;
  for (std::size_t p = 0; p < bars.ns.size(); ++p) {
    const IntegrationProblem &problem = integration_problems()[p];
    const Json *best = nullptr;
    for (const Json &row : rows)
      if (row.at("form") == problem.form && row.at("cell") == to_string(problem.cell) &&
          (!best || row.at("ns_a_cell").get<double>() < best->at("ns_a_cell").get<double>()))
        best = &row;
    if (!best)
      return {};
    bars.name = best->at("device").get<std::string>();
    bars.ns[p] = best->at("ns_a_cell");
    bars.gbps[p] = bytes_a_cell(problem) / bars.ns[p];
    bars.gflops[p] = paper_operations(problem, LoopOrder::qss) / bars.ns[p];
    bars.percent[p] = problem.cell == CellType::tetrahedron
                          ? 100 * bars.gbps[p] / best->at("stream_gbps").get<double>()
                          : 100 * bars.gflops[p] / best->at("peak_gflops").get<double>();
  }
  return bars;
}

// Bars of all machines for the problems `wanted`, by their places.
void draw(const std::vector<Bars> &machines, OfProblems Bars::*figure,
          const std::vector<std::size_t> &wanted, const std::string &title,
          const std::string &y_label, const std::filesystem::path &file) {
  Plot plot{.title = title, .y_label = y_label};
  for (const std::size_t p : wanted) {
    const IntegrationProblem &problem = integration_problems()[p];
    plot.categories.push_back(fmt::format("{}, {}", problem.form, to_string(problem.cell)));
  }
  for (const Bars &machine : machines) {
    PlotSeries series{machine.name, PlotStyle::bars, {}};
    for (std::size_t i = 0; i < wanted.size(); ++i)
      series.points.emplace_back(static_cast<double>(i), (machine.*figure)[wanted[i]]);
    plot.series.push_back(std::move(series));
  }
  write_plot(plot, file);
}

} // namespace

bool plot_integration(const std::vector<Json> &rows, const std::filesystem::path &folder) {
  const std::optional<Bars> own = bars_of(rows);
  if (!own)
    return false;
  std::vector<Bars> machines = {*own};
  for (const PaperMachine &machine : paper_machines)
    machines.push_back(bars_of(machine));
  draw(machines, &Bars::ns, {0, 1, 2, 3}, "Integration, the best kernels", "nanoseconds a cell",
       folder / "figure3.svg");
  draw(machines, &Bars::gbps, {0, 2}, "Tetrahedra, by the paper's accesses", "GB/s",
       folder / "figure4a.svg");
  draw(machines, &Bars::gflops, {1, 3}, "Prisms, by the paper's operations", "GFlop/s",
       folder / "figure4b.svg");
  draw(machines, &Bars::percent, {0, 1, 2, 3},
       "Share of the bandwidth (tetrahedra; K20m: all) or of the rate of arithmetic (prisms)", "%",
       folder / "figure5.svg");
  return true;
}

} // namespace weft
