// results.json: enough to repeat and judge a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/timer.h"
#include "cost/kernel_record.h"
#include "op/evaluate/at_bounds.h"
#include "op/evaluate/field_values.h"
#include "solve/report.h"

namespace weft {

// The choices a kernel was made with, and where they came from.
struct VariantRecord {
  std::string kernel;  // "fem_integrate"
  std::string variant; // "strategy=block lanes=8 ..."
  // "kept" (an earlier search), "model" (its first choice), "tuned" (a search in this run), "file"
  // (--variants), "case" (settings of the case), "default"
  std::string from;
};

// What solved the systems of a run.
struct SolverRecord {
  std::string op;             // "assembled", "matrix_free"; empty: there were none
  std::string method;         // "cg"
  std::string preconditioner; // "multigrid"; of defect correction its inner solver
  std::string precision;      // of these where they work in a low one: "f16", "f32, f16"
  bool chosen = false;        // some of it is Weft's choice
  bool method_chosen = false; // the method is
  bool preconditioner_chosen = false;
  bool orders_chosen = false; // multigrid by orders is, which needs no matrix
};

// How a transient run went.
struct TimeRecord {
  std::string parameter; // of load steps, its name: `end` is its value; empty: time
  double end = 0;        // reached
  std::int64_t steps = 0;
  std::int64_t rejected = 0; // steps taken back
  std::int64_t newton_steps = 0;
  std::int64_t stages = 0; // of explicit schemes: how often the right-hand side was evaluated
  std::string stopped;     // the condition of [time] stop that ended the run; empty: none
};

// A count or time of each of several ranks: the least and the most.
struct LeastMost {
  double least = 0, most = 0;
};

// How a problem was shared among ranks.
struct RanksRecord {
  int count = 0;
  std::vector<std::string> devices; // their names, each once
  // Cells of a rank, those of others that it has besides, ranks whose cells these are.
  LeastMost cells, ghost_cells, neighbours;
  // Of the solve: what a rank sent, sums and maxima over all ranks, and the seconds in which it
  // waited for others.
  LeastMost messages, bytes, reductions, waited_s;
};

// How a run ended.
struct RunOutcome {
  // "done", "not_converged" (values are not those of a solution), "not_finite" (some are NaN or
  // infinite), "failed" (something else went wrong), "interrupted"
  std::string status = "done";
  int exit_code = 0;
  std::vector<std::string> failures; // the messages, in order

  // The first decides status and exit code.
  void add(const std::string &with_status, int with_exit_code, const std::string &message);
};

// A functional, an error or an output field that is NaN or infinite.
struct NotFinite {
  std::string name;           // "functionals.mean", "errors.u", "fields.u"
  std::optional<double> time; // of rows and fields of a transient run
  std::string fault;          // "is nan at (0.25, 0.5) of region box"
};
// "functionals.mean is nan at (0.25, 0.5) at time 0.1".
std::string to_string(const NotFinite &value);

// A value that --expect compares.
struct CheckedValue {
  std::string name;            // "functionals.T_E", "errors.T.L2"
  std::optional<double> found; // none: the run has no such value
  std::string expected;        // "18.25 within 0.09"
  std::string missed;          // why it is not met; empty: it is
};

// A functional's error as dual weighted residuals estimate it.
struct EstimatedError {
  std::string functional;
  std::vector<double> errors;  // [component]: with which the value is nearer to the exact one
  std::vector<double> density; // [(set, cell)]: of all components, by unit of volume, positive
};

// The derivative of a functional by a parameter.
struct FunctionalGradient {
  std::string functional;
  std::string parameter;      // "k", "k.fins"
  std::vector<double> values; // [component]
};

// What adjoint problems tell of functionals.
struct AdjointResults {
  std::vector<EstimatedError> errors;
  std::vector<FunctionalGradient> gradients;
};

struct RunRecord {
  std::string stage;              // of a case in stages: this one's name
  std::vector<RunRecord> earlier; // and the stages before it
  std::string version;
  std::string device; // the name of the device used
  std::string case_file;
  std::string case_text;              // as it was read
  std::vector<std::string> overrides; // --set
  std::string title;
  std::vector<std::string> notices;   // that the run gave
  std::vector<CheckedValue> expected; // with --expect
  std::string expected_source;
  std::int64_t mesh_cells = 0;
  std::int64_t mesh_nodes = 0;
  std::int64_t dofs = 0;
  RunOutcome outcome;
  std::vector<FunctionalValue> functionals;
  AdjointResults adjoint;
  std::vector<FieldError> errors;
  std::vector<FieldAtBounds> at_bounds;
  std::vector<NotFinite> not_finite;
  SolveReport solver;
  SolverRecord solver_choice;
  std::optional<TimeRecord> time; // of a transient run: `solver` is then of its last step
  std::optional<RanksRecord> ranks;
  Timings timings;
  std::vector<KernelRecord> kernels;
  std::vector<VariantRecord> variants; // with which --variants repeats the run
};

// Keys as docs/reference/results.md lists them; functionals of several components are lists; what
// is not finite is null.
std::string results_json(const RunRecord &record);
// Errors: system.
void write_results(const std::string &path, const RunRecord &record);

} // namespace weft
