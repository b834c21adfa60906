// weft bench dg: figures 26.8, 26.9 and 26.10 of Kloeckner, Warburton and Hesthaven, "High-Order
// Discontinuous Galerkin Methods by GPU Metaprogramming": GFlop/s and bandwidth of each stage of
// discontinuous Galerkin methods against the order, and the times of a search.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "case/case.h"
#include "cost/kernel_record.h"
#include "op/law/dg_tuning.h"
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

// A search among the variants of a whole stage, of the first form and order: those that it tried.
struct DgSearchResult {
  std::string title;
  TuningOutcome outcome;
  std::optional<double> others; // share of the cores that others used meanwhile
  double worst_to_best() const; // 0 where nothing ran
};
DgSearchResult search_dg(const DgBenchOptions &options);
void plot_dg_search(const DgSearchResult &result, const std::filesystem::path &file);
void write_dg_search_csv(const std::string &path, const DgSearchResult &result);

// Figure 26.8: the time of element-local differentiation for each way of cutting up its work, of
// the first form and order.
//
// The paper's parameters are the numbers of cells that a work-group does in sequence (w_s), that a
// work-item does along with each other, so that an entry of the matrix that lies in a register
// serves all of them (w_i), and that work-items do in parallel (w_p). On a CPU groups_per_item is
// w_s, and lanes are w_i and w_p in one: a vector's lanes are cells that one entry serves at once.
// rows, how many rows of the matrix share a value once it is read, the paper does not vary; they
// are varied too. On a GPU they are `sequence`, `in_line` and `parallel` of kernels by nodes, which
// do a whole stage: there it is the stage that is timed.
struct DgWorkRow {
  Variant variant;
  std::string sequence, in_line, parallel, rows; // "-": the device's kernel has none
  double seconds = 0;
  double ratio = 0;        // to the default variant's time, timed in turn; 0: it did not run
  double predicted_s = 0;  // on the card asked for, by counts; 0: a device that is there
  std::string disturbance; // what disturbed the timings, in words; empty: nothing that shows
  std::string reason;      // why it did not run
};
struct DgWorkResult {
  std::string title;
  std::vector<DgWorkRow> rows; // in the order of the space, as far as the budget went
  int num_candidates = 0;
  std::string card;             // that is not there; empty: none
  double usual_s = 0;           // of the default variant, median over all its timings
  double worst_to_best() const; // 0 where nothing ran
};
// Tries all of them, or as many as the budget allows, in a fixed random order. On a card that is
// not there, options.device "model:gtx280", times are those of the CPU that is taken for a GPU.
DgWorkResult bench_dg_work(const DgBenchOptions &options);
// figure26_8.svg, and of a card figure26_8_predicted.svg.
void plot_dg_work(const DgWorkResult &result, const std::filesystem::path &folder);
void write_dg_work_csv(const std::string &path, const DgWorkResult &result);

// A problem of the benchmark on its mesh, for one precision after the other.
struct DgBenchProblem {
  Case c;
  Mesh mesh;
  Discretisation d;

  explicit DgBenchProblem(const Case &of);
  DgBenchProblem(const DgBenchProblem &) = delete;
  DgBenchProblem &operator=(const DgBenchProblem &) = delete;
};
// So many that a state does not fit into the last cache, unless the options say how many.
double dg_wanted_dofs(const DgBenchOptions &options, const DeviceInfo &info);
DgTuningOptions dg_tuning_options(const DgBenchOptions &of, const DgBenchProblem &problem,
                                  const std::string &form, Precision precision,
                                  const CostModel &model);

// The case of a law on a box of about so many dofs, or on `options.mesh_file`.
Case dg_bench_case(const DgBenchOptions &options, const std::string &form, int order, double dofs);

} // namespace weft
