// What a solve did.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/precision.h"
#include "linalg/halo/halo.h"
#include "linalg/solve_status.h"

namespace weft {

// One line of the check of the Jacobian J: |Jv - (F(u + hv) - F(u - hv))/(2h)| / |Jv|.
struct JacobianDifference {
  int newton_step = 0;
  double step = 0; // h |v| / |u|
  double error = 0;
};

// A level of a preconditioner's hierarchy.
struct LevelSummary {
  std::int64_t unknowns = 0; // of all ranks
  std::int64_t entries = 0;  // of its matrix, of all ranks; 0: it has none
  Precision storage = Precision::f64;
  std::uint64_t bytes = 0; // on this device, of its matrix, its transfers and its vectors
  // What this rank sends before a product with the level's vectors; none: it has the whole level.
  std::optional<HaloCounts> halo;
};

// Entries of the matrices of all levels over those of the finest; none where that has no matrix.
std::optional<double> operator_complexity(const std::vector<LevelSummary> &levels);

// One step of Newton's method.
struct NewtonStep {
  double factor = 1;       // of the step that was taken
  double residual = 0;     // after it, relative to the first
  double step_norm = 0;    // of the whole step: of each field relative to its own size
  int iterations = 0;      // of the linear solver, for the step and for judging it
  bool taken_back = false; // it led nowhere, and the next step begins before it
};

struct SolveReport {
  SolveStatus status = SolveStatus::running;
  bool converged = false;
  bool to_rounding = false;    // converged as far as rounding allows, short of the tolerance
  std::string reason;          // one sentence, also when converged
  int iterations = 0;          // of the Krylov method, over all Newton steps; of explicit steps in
                               // time: stages
  int newton_steps = 0;        // 0 for solve_linear
  int num_setups = 0;          // of the preconditioner
  double setup_seconds = 0;    // that these took
  double assembly_seconds = 0; // of residuals and linearisations; 0 for solve_linear
  std::vector<LevelSummary> levels;      // of the preconditioner, from the finest
  std::string library;                   // of a direct solver
  std::vector<std::int64_t> null_pivots; // rows whose pivots a direct solver found to be zero
  double initial_residual = 0;           // 2-norm at the start
  double residual = 0;                   // relative to it, recomputed from the solution at the end
  std::vector<double> history;    // relative residual: first 1, then after each Krylov iteration,
                                  // for a nonlinear operator after each Newton step
  std::vector<NewtonStep> newton; // of a nonlinear operator
  std::vector<JacobianDifference> jacobian_check; // with newton.check_jacobian
  std::string remark;                             // what was done otherwise than asked for, and why
};

// Called with the number of Krylov iterations so far and the relative residual, every few of them.
using SolveProgress = std::function<void(int iteration, double relative_residual)>;

// Ends a report: sets status, converged and a reason made from the status and `detail`.
void finish_report(SolveReport &report, SolveStatus status, const std::string &detail = {});

} // namespace weft
