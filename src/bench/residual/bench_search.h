// weft bench search: a search among the variants of a form's residual, what each that was tried
// takes beside what the model says. (Figure 26.8 of Kloeckner, Warburton and Hesthaven is the like
// for the differentiation of discontinuous Galerkin methods: weft bench dg --differentiation.)
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/precision.h"
#include "bench/residual/residual_job.h"
#include "cost/kernel_record.h"
#include "device/device.h"
#include "op/problem/discretisation.h"
#include "tune/machine_figures.h"
#include "tune/search/tuner.h"

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

struct SearchLimits {
  double budget_s = 180; // infinite: all candidates are tried
  // As in TunerOptions: compiles the next candidates in parallel.
  std::function<void(const std::vector<Variant> &)> ahead;
  int ahead_batch = 1;
};

// Searches among the variants of the residual of a form: the model's best, then the others at
// random, as many as the budget allows. Prints the best so far as it goes.
SearchOutcome search_residual(Device &device, const Discretisation &d, Precision precision,
                              const std::string &form_name, const MachineFigures &figures,
                              const SearchLimits &limits);

struct SearchOptions : ResidualProblem {
  std::string precision = "f64";
  std::string device;
  int threads = 0;
  double budget_s = SearchLimits{}.budget_s;
  bool exhaustive = false; // all candidates, however long that takes
  std::filesystem::path out = "bench-search";
};
// Says first how many candidates there are and, after the first of them, how long it will take.
// Kernels are compiled ahead on all cores. Writes search.csv, and search_times.svg with its points,
// into `out`.
void bench_search(const SearchOptions &options);

} // namespace weft
