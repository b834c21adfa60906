// weft bench search: figure 26.8 of Kloeckner, Warburton and Hesthaven, "High-Order Discontinuous
// Galerkin Methods by GPU Metaprogramming": the time of every candidate of one search, with model
// beside measurement.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/precision.h"
#include "device/device.h"
#include "kernel/kernel_record.h"
#include "op/discretisation.h"
#include "tune/machine_figures.h"
#include "tune/tuner.h"

namespace weft {

// A candidate that was timed, or could not be.
struct SearchRow {
  KernelRecord record; // predicted_s: at the states of the machine in which it was timed
  int rank = 0;        // by the model among all candidates; 0: its first choice
  int num_timings = 0;
  // Its time over that of the reference (the candidate that came first: the model's choice), timed
  // in turn; 0 where it was not timed. Machines drift: `seconds` of different rows do not compare.
  double ratio = 0;
  std::string reason; // why it did not run or is not right; empty if it may be used
};

struct SearchOutcome {
  TuningOutcome tuning;
  std::vector<SearchRow> rows; // by rank
  double reference_s = 0;      // median over the whole search
  // The slowest candidate's time over the fastest's; 0 where nothing ran.
  double worst_to_best(const std::string &strategy = "") const; // empty: of all
};

// Searches among the variants of the residual of a form: the model's best, then the others at
// random, as many as the budget allows.
SearchOutcome search_residual(Device &device, const Discretisation &d, Precision precision,
                              const std::string &form_name, const MachineFigures &figures,
                              double budget_s);

struct SearchOptions {
  std::string form = "poisson";
  std::string cell = "tetrahedron";
  int order = 1;
  std::string precision = "f64";
  std::string mesh_file; // instead of a box of `cell`
  bool trust = false;    // in that file
  double nodes = 5e4;    // of the box
  std::string device;
  int threads = 0;
  double budget_s = 180; // enough for all candidates on two cores
  std::filesystem::path out = "bench-search";
};
// Writes search.csv, and figure26_8.png with its points, into `out`.
void bench_search(const SearchOptions &options);

} // namespace weft
