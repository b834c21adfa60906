// Samples of a sweep whose systems have one matrix, solved at once.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Dense>

#include "run/simulation.h"
#include "solve/linear/linear.h"
#include "solve/systems/repeated_matrix.h"

namespace weft {

// Where parameters stand in loads and prescribed values alone, sample s is A c = -r, with r its
// residual at its initial values and c what the solution adds to them. Solutions that are known
// give A c for many c at the cost of a product each, whatever the sample: the combination of theirs
// with the smallest residual is where it begins.
class SamplesTogether {
public:
  static constexpr int most = RepeatedMatrix::num_systems;

  // Whether samples of a problem, of which one was solved, may be: stationary and linear, of one
  // field, an assembled matrix that does not depend on what may get other values, and a
  // preconditioner for several right-hand sides.
  static bool possible(const Simulation &s);

  // Of a problem of which that is so, and which must outlive it.
  explicit SamplesTogether(Simulation &s);

  // Takes note of the solution that the simulation has, of the parameters that it has.
  void keep_solution();
  std::size_t num_kept() const { return corrections_.size(); }

  // A sample with its parameters set in the simulation. Returns whether there is room for another.
  bool add();
  // Solves for all that were added; their parameters need not be set any more. Where the report
  // says so, each has converged as a solve of its own would; else nothing is known of any.
  SolveReport solve();
  // Of the sample that was added as number `sample`: the solution, and whether those of others gave
  // it.
  std::vector<double> state(int sample) const;
  bool was_known(int sample) const { return samples_[sample].norm <= samples_[sample].target; }
  // Forgets the samples, but not their solutions.
  void clear() { samples_.clear(); }

private:
  struct Sample {
    Vector initial;              // with the prescribed values
    Eigen::VectorXd correction;  // of it
    Eigen::VectorXd residual;    // with the correction
    double norm = 0, target = 0; // of the residual where solve() begins; the one to reach
  };
  struct Correction {
    Eigen::VectorXd values, product; // c, A c
  };

  Vector initial_values();
  void keep(Eigen::VectorXd correction);

  Simulation &s_;
  NonlinearOperator &op_;
  SolverSettings settings_;
  std::vector<Sample> samples_;
  std::deque<Correction> corrections_; // the newest last
  // Of the products of all corrections, as columns; none where they have changed.
  std::optional<Eigen::ColPivHouseholderQR<Eigen::MatrixXd>> products_;
  std::optional<RepeatedMatrix> matrix_; // from the first solve on
  std::optional<LinearSolver> solver_;
};

} // namespace weft
