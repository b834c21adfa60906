// weft bench integration: tables 3 to 7 and figures 3 to 5 of Banas, Kruzel and Bielanski, "Finite
// element numerical integration for first order approximations on multi-core architectures", for
// any device, and assembly into a sparse matrix.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/integration/integration_problem.h"
#include "cost/kernel_record.h"
#include "op/assembly/assembled_operator.h"
#include "output/kernel_rows.h"
#include "tune/machine_figures.h"

namespace weft {

// An entry of table 7: one problem in one loop order, with the kernel that was the fastest found.
struct IntegrationRow {
  // `fraction`: of the limit by the smaller of both counts, bytes and operations each on its own.
  KernelRecord record;
  IntegrationProblem problem;
  LoopOrder loop_order = LoopOrder::qss;
  // Our count, of all cells: of the kernel with geometry on the fly, as the paper counts it. Stored
  // geometry is more bytes; to move more than is needed does not make a limit.
  double own_bytes = 0, own_flops = 0;
  // Loop order QSS, of a cell: accesses to the array in local memory, one of shared_arrays.
  std::array<double, 4> own_shared_accesses{};
  // Seconds that the machine needs at least for all cells by its bandwidth and its multiply-add
  // rate, measured in turn with the kernel (table 6): by the paper's accesses and operations, and
  // by ours.
  double paper_limit_s = 0, own_limit_s = 0;
  double paper_fraction = 0, own_fraction = 0; // of the measured time
  int num_candidates = 0, num_timed = 0, num_unsupported = 0;
  double difference = 0; // from the reference, relative to a cell's largest entry

  double own_accesses() const; // bytes a cell over those of a real
  double own_operations() const;
  double ns_a_cell(double seconds) const;
};

struct IntegrationOptions {
  std::string device;
  int threads = 0;
  int repeats = 15;
  double budget_s = 60; // of the search for each of the 12 kernels
  double size = 1;      // of all problems, as a share of their cells
  bool tables = true, assembly = true;
  std::string form, cell, order; // empty = all; "poisson", "tetrahedron", "qss"
  std::vector<int> leaves = {1, 2, 4, 8, 16, 32, 64}; // of the blocks of assembly
  std::filesystem::path out = "bench-integration";
};

// The 12 rows, or those of the form, cell and loop order that are wanted, problem by problem. fp64,
// or fp32 where the device has no other. Prints tables 3, 4, 6 and 7.
std::vector<IntegrationRow> bench_integration_tables(Device &device, const MachineFigures &figures,
                                                     const IntegrationOptions &options);

// Assembly of the matrix of one form, its pattern known: kernels and sums over blocks.
struct AssemblyRow {
  KernelRecord record;
  double pattern_s = 0;
  std::int64_t rows = 0, entries = 0; // of the matrix
  bool fastest = false;               // of those of the same form, cell and element
};

// Poisson on tetrahedra of order 1 and 2, Poisson and convection-diffusion on prisms: in every loop
// order, and with the best of them blocks of more and fewer leaves. Prints a line a row.
std::vector<AssemblyRow> bench_assembly(Device &device, const MachineFigures &figures,
                                        const IntegrationOptions &options);

struct IntegrationResult {
  MachineRecord machine;
  std::vector<IntegrationRow> rows;
  std::vector<AssemblyRow> assembly;
};
// Both, with integration.csv, assembly.csv, integration.json and the figures in `out`.
IntegrationResult bench_integration(const IntegrationOptions &options);
// Lines of integration.csv.
std::vector<nlohmann::ordered_json> integration_rows(const std::vector<IntegrationRow> &rows);
// figure3.svg, figure4a.svg, figure4b.svg and figure5.svg; false, and nothing, where a problem has
// no row.
bool plot_integration(const std::vector<nlohmann::ordered_json> &rows,
                      const std::filesystem::path &folder);
// The records of all rows.
std::vector<KernelRecord> kernel_records(const IntegrationResult &result);

} // namespace weft
