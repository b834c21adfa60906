// weft bench dg: figures 26.8, 26.9 and 26.10 of Kloeckner, Warburton and Hesthaven, "High-Order
// Discontinuous Galerkin Methods by GPU Metaprogramming": GFlop/s and bandwidth of each stage of
// discontinuous Galerkin methods against the order, and the times of a search.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "case/case.h"
#include "kernel/kernel_record.h"
#include "op/dg_tuning.h"
#include "output/kernel_rows.h"

namespace weft {

struct DgBenchOptions {
  std::vector<std::string> forms = {"maxwell", "euler"};
  std::string flux; // of physics/; empty: upwind (Maxwell), lax_friedrichs (Euler)
  std::string cell = "tetrahedron";
  std::vector<int> orders = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::string precision; // empty: both
  std::string products;  // whole, by_symmetry; empty: what is faster
  std::string mesh_file; // instead of a distorted box of `cell`
  bool trust = false;    // in that file
  std::optional<double>
      dofs; // of the box, about; open: 5 M, or more where the last cache is larger
  std::string device;
  int threads = 0;
  double budget_s = 15; // of the search for the variant of each row of orders; 0: the default
  int repeats = 15;
};

// One stage, or all in one, of one order.
struct DgBenchRow {
  KernelRecord record;
  int order = 1;
  std::string stage; // "differentiate"
  double ns_per_dof() const;
};

struct DgBenchResult {
  MachineRecord machine;
  std::vector<DgBenchRow> rows;
};

// For each law, order and precision: searches for the fastest stage, checks it against the
// reference on a small mesh, and times its parts and the fused kernel with the same choices, in
// turn with bandwidth and multiply-add rate. Prints a table as it goes. Error (input): a law that
// has no cells of this dimension.
DgBenchResult bench_dg(const DgBenchOptions &options);
// figure26_9_FORM_PRECISION.svg and figure26_10_..., with their points.
void plot_dg(const DgBenchResult &result, const std::filesystem::path &folder);
void write_dg_json(const std::string &path, const DgBenchResult &result);
void write_dg_csv(const std::string &path, const DgBenchResult &result);

// Figure 26.8: every candidate of one search, of the first form and order.
struct DgSearchResult {
  std::string title;
  TuningOutcome outcome;
  double worst_to_best() const; // 0 where nothing ran
};
DgSearchResult search_dg(const DgBenchOptions &options);
void plot_dg_search(const DgSearchResult &result, const std::filesystem::path &file);
void write_dg_search_csv(const std::string &path, const DgSearchResult &result);

// The case of a law on a box of about so many dofs, or on `options.mesh_file`.
Case dg_bench_case(const DgBenchOptions &options, const std::string &form, int order, double dofs);

} // namespace weft
