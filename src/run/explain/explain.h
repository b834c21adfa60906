// Where the time of a run goes: stage by stage, and what each kernel does, what the model predicts
// and what is measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/kernel_record.h"
#include "kernel/cell/paper_cost.h"
#include "run/simulation.h"
#include "tune/model/performance_model.h"
#include "weft/problem.h"

namespace weft {

// A part of a run, one after the other or inside of one another.
struct ExplainedStage {
  std::string name; // "mesh_topology", "solve/iterations/level 0"
  double seconds = 0;
  // Of `seconds`, kernels that are no part of stages inside of it; 0 where it was not watched.
  double kernels_s = 0;
  double predicted_s = 0; // of these kernels
  double own_s = 0;       // of `seconds`, no part of stages inside of it
};

// The launches of one kernel in one stage; for an ablation or a benchmark, of one work.
struct ExplainedKernel {
  std::string stage; // where it is launched: "iterations/level 0"
  double launches = 1;
  double total_s = 0;  // of all launches, as part of the run's time
  KernelRecord record; // of one launch
  KernelCost cost;     // of one launch
  // Counted by a formula; else the size of its arrays is all that is known.
  bool counted = true;
  double from_memory = 1; // part of its bytes; the others come from caches
  Prediction prediction;  // at the machine's state while the kernel was timed
  double least_s = 0;     // that its bytes and flops allow, where they come from
  // Sizes of an integral over cells that Knepley, Rupp and Terrel's model is for,
  // whatever strategy the kernel has.
  std::optional<PaperSizes> paper;
};

// Seconds of all cells of a kernel that equations (6) and (7) allow at the machine's bandwidth and
// multiply-add rate, the longer of both.
double paper_least_s(const ExplainedKernel &kernel);

// One term's work done twice (of memory: left out) in the kernels over cells.
struct AblationResult {
  Ablation ablation = Ablation::none;
  double seconds = 0;            // of the kernels as they are; median
  double change_s = 0;           // what the ablation adds, timed in turn; median
  double predicted_s = 0;        // of the kernels as they are
  double predicted_change_s = 0; // by the model
};

// What ranks exchange in what a solve repeats.
struct ExplainedHalo {
  int ranks = 0;
  std::string what;          // "stage", "product with the Jacobian"
  LeastMost messages, bytes; // that a rank sends in one
  // Medians of the slowest rank: one; its kernels without messages; its messages alone.
  double whole_s = 0, kernels_s = 0, exchange_s = 0;
  // The share of the messages' time that one does not take.
  double hidden() const;
};

struct Explanation {
  std::string device;
  std::string variant, variant_from;
  SolverRecord solver;
  std::string solved;                   // "16 iterations", "the first 40 of 2000 steps"
  double total_s = 0;                   // from the start of the process to the end of the run
  double watched_solve_s = 0;           // that the solve took while each launch was waited for
  std::vector<ExplainedStage> stages;   // in their order; those inside of one after it
  std::vector<ExplainedKernel> kernels; // those that took longest first
  std::optional<ExplainedHalo> halo;    // of a problem that ranks share
  std::vector<AblationResult> ablations;

  double solve_s() const;
  double unexplained_s() const; // of total_s, in no stage
};

// Makes a run as `weft run` does, without leaving its files, and then its solve again, watched
// launch by launch, `repeats` times or for some seconds. Of a transient run some seconds' steps.
// `ablations`: to be made too, of the kernels without a matrix.
// `ranks`: that share the run, or null; all of them call it. Times are those of this rank.
Explanation explain(const std::string &case_file, const ProblemOptions &options,
                    const std::vector<Ablation> &ablations, int repeats, Communicator *ranks);

// "1.2 s", "12.3 ms", "45 us"
std::string time_text(double seconds);

// The stages, and the three largest parts: what limits them, and what would help.
std::string explanation_text(const Explanation &explanation);
// Each kernel, and the ablations.
std::string kernels_text(const Explanation &explanation);
std::string ablations_text(const Explanation &explanation);
std::string explanation_json(const Explanation &explanation);

} // namespace weft
