// weft bench residual --paper: the experiments of Knepley, Rupp, Terrel, "Finite element
// integration with quadrature on the GPU", on any device, with model beside measurement.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/residual/paper_work.h"
#include "cost/kernel_record.h"
#include "device/device.h"
#include "kernel/cell/paper_cost.h"
#include "tune/machine_figures.h"

namespace weft {

// A line of the CSV files: a kernel's record and what the paper adds to it.
struct PaperRow {
  KernelRecord record;
  std::string driver;
  // "integration": the integrals alone, which the paper times; "residual": from global vector to
  // assembled global vector.
  std::string work;
  int num_blocks = 0, num_batches = 0; // N_bl, N_cb; 0: not the paper's method
  // Costs by thread transposition, whatever the row's strategy: bytes and flops of all cells.
  PaperCost paper;
  std::string reason; // why it did not run; empty if it did

  // GFlop/s by equation (7), and what the model of src/tune predicts of it.
  double paper_gflops() const;
  double predicted_gflops() const;
};
// The keys of kernel records, then those of PaperRow.
std::vector<nlohmann::ordered_json> paper_rows(const std::vector<PaperRow> &rows);
// Errors: system.
void write_paper_csv(const std::filesystem::path &path, const std::vector<PaperRow> &rows);

// figure4_DIM_PRECISION.svg (Poisson) and figure5_DIM_PRECISION.svg (elasticity): a picture for
// each panel that there are rows of.
void plot_paper(const std::vector<nlohmann::ordered_json> &rows,
                const std::filesystem::path &folder);

struct Table2Options {
  int edges = 256; // of the unit square's sides: 66,049 nodes
  std::vector<int> blocks = {16, 20, 24, 28, 32, 36};
  std::vector<int> batches = {4, 8, 12, 16};
  int repeats = 11;
};
// Table 2: rates of 2D Poisson for blocks a batch by batches a chunk, single precision, then double
// where the device has it. Prints a line a choice with its first timing, then times all of them in
// turn and prints the table.
std::vector<PaperRow> bench_paper_table2(Device &device, const MachineFigures &figures,
                                         const Table2Options &options, PaperWork &work);
std::vector<ResidualJob> table2_jobs(const DeviceInfo &device, const Table2Options &options);

struct FigureOptions {
  std::vector<double> nodes = {1e3, 2.7e3, 7e3, 1.9e4, 5.2e4, 1.4e5, 3.7e5, 1e6};
  double most_unknowns = 1.2e6; // larger problems are left out
  std::vector<int> dims = {2, 3};
  std::vector<std::string> forms = {"poisson", "elasticity"}; // figure 4, figure 5
  int num_blocks = 16, num_batches = 8;                       // of the paper's command line
  int repeats = 11;
  // Whether the fastest of the other strategies is that of all valid variants, and not of the
  // default variants of each strategy and geometry.
  bool exhaustive = false;
  // Called with all rows so far, now and then.
  std::function<void(const std::vector<PaperRow> &)> keep;
};
// Figures 4 and 5: rates against problem size, by the paper's method and by the fastest of Weft's
// other strategies and geometries, chosen by timing them at the middle size. Prints a line a point
// as it goes.
std::vector<PaperRow> bench_paper_figures(Device &device, const MachineFigures &figures,
                                          const FigureOptions &options, PaperWork &work);
// Kernels of the paper's method and of the default variants of others; not those of all variants.
std::vector<ResidualJob> figure_jobs(const DeviceInfo &device, const FigureOptions &options);
// How many rows there will be, and how many variants are tried for the fastest other strategies.
int num_figure_rows(const DeviceInfo &device, const FigureOptions &options);
int num_figure_candidates(Device &device, const FigureOptions &options);

struct PaperOptions {
  std::string device;
  int threads = 0;
  int repeats = 11;
  std::filesystem::path out = "bench-paper";
  double size = 1;         // of all problems, as a share of their nodes
  bool exhaustive = false; // as in FigureOptions
};
// Both, with table2.csv, figure4.csv, figure5.csv and a plot for each panel of the figures in
// `out`; the CSV files are written as rows come. Says first how much there is to do and how long it
// will take; kernels are compiled ahead on all cores.
void bench_paper(const PaperOptions &options);

} // namespace weft
