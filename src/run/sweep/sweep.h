// A case solved for many values of its parameters, on one mesh and by one set of kernels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/input/user_case.h"
#include "run/sweep/sweep_values.h"

namespace weft {

struct SweepRow {
  int sample = 0; // from 1, in the order of solving
  SweepPoint point;
  std::vector<double> functionals; // all components; NaN where they are not known
  int iterations = 0, newton_steps = 0;
  double seconds = 0;
  bool converged = false;
  std::string reason; // where it did not; not kept in files
};

// What a sweep is, and what its rows are of.
struct SweepPlan {
  std::vector<SweptParameter> parameters;
  std::vector<SweepPoint> points;
  std::vector<std::string> functionals; // "T_max", "u[0]": a column each
};

class Sweep {
public:
  // Reads the case, makes mesh, kernels and operators, with the parameters as arguments of kernels.
  // `samples`: points within the ranges; 0: the grid of all values. Errors (input): those of
  // sweep_grid(), sweep_samples(); parameters of several components, a case without functionals;
  // and what make_simulation() throws.
  Sweep(const std::string &case_file, ProblemOptions options,
        const std::vector<SweptParameter> &parameters, int samples);
  ~Sweep();

  const SweepPlan &plan() const { return plan_; }
  // What results of another sweep, of other equations, or of other values are told apart by.
  std::string identity() const;
  // The folder that the case names for its results.
  std::string folder() const;

  // Solves from `first` on, one or, where samples have one matrix, several at once
  // (SamplesTogether), but none from `end` on. A stationary problem begins at what solutions of
  // samples before tell of it (first_guess.h), and once more at the initial values where that does
  // not converge; one in time at its initial values. What goes wrong is in the rows, but for errors
  // of the input and the system.
  std::vector<SweepRow> solve(int first, int end);

private:
  SweepRow solve_one(int sample);
  std::vector<SweepRow> solve_together(int first, int end);
  void set_sample(int sample);

  struct Parts;
  SweepPlan plan_;
  std::string overrides_; // of the user
  std::unique_ptr<Parts> parts_;
};

} // namespace weft
