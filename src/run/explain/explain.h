// Where the time of a run's kernels goes: what each does, what the model predicts and what is
// measured, launch by launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/kernel_record.h"
#include "kernel/cell/paper_cost.h"
#include "run/simulation.h"
#include "tune/model/performance_model.h"
#include "weft/problem.h"

namespace weft {

struct ExplainedKernel {
  std::string use;                // "residual", "linearised", "diagonal", "solver"
  KernelRecord record;            // of one launch
  std::optional<KernelCost> cost; // none where it differs from launch to launch
  Prediction prediction;          // at the machine's state while the kernel was timed
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

struct Explanation {
  std::string device;
  std::string variant, variant_from;
  std::vector<ExplainedKernel> kernels;
  std::vector<AblationResult> ablations;
};

// Makes the case's operator as `weft run` does, runs each of its kernels and some iterations of the
// solver. `ablations`: to be made too.
Explanation explain(const std::string &case_file, const ProblemOptions &options,
                    const std::vector<Ablation> &ablations, int repeats);

std::string explanation_text(const Explanation &explanation);
std::string explanation_json(const Explanation &explanation);

} // namespace weft
