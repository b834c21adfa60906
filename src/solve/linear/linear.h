// Linear systems: a Krylov method, checked against the true residual.
#pragma once

#include <memory>

#include "linalg/operator.h"
#include "solve/krylov/krylov.h"
#include "solve/preconditioner.h"
#include "solve/report.h"
#include "solve/settings.h"

namespace weft {

// Keeps kernels, work vectors and the preconditioner between solves with one operator.
class LinearSolver {
public:
  // The operator must outlive the solver. Memory beside b and x, in vectors: cg 3 (jacobi 4,
  // chebyshev 6), bicgstab 5 (7, 8), gmres 2 (4, 5) and the iterations of a cycle rounded up to 8,
  // defect_correction 3; beside a preconditioner that varies cg one more and gmres twice the cycle.
  LinearSolver(LinearOperator &op, const SolverSettings &settings);
  // With a preconditioner that is set up for the operator already; what the settings say of
  // preconditioners is not looked at. update() sets it up again.
  LinearSolver(LinearOperator &op, const SolverSettings &settings,
               std::shared_ptr<Preconditioner> preconditioner);

  // To be called when the operator has changed (a new linearisation).
  void update();
  // Gives up a set-up of the preconditioner that was kept from an earlier operator, so that the
  // next update() makes a new one.
  void forget_setup() { precond_->forget(); }
  bool holds_setup() const { return precond_->holds_setup(); }

  // Solves A x = b from the x given until |b - A x| <= tolerance times its first value, where
  // b - A x is computed from x; the recurrence of a method only says when to look. Where squares of
  // the residual would overflow or vanish the system is scaled by a power of two. What goes wrong
  // is in the report, never an exception; x is then the last finite iterate. Where a set-up of the
  // preconditioner kept from an earlier operator does not do any more, a new one is made: at once
  // where the solve failed, at the next update() where it took long.
  SolveReport solve(const Vector &b, Vector &x, double tolerance,
                    const SolveProgress &progress = {});
  // From x = 0, which is written: the first residual is b, without a product.
  SolveReport solve_from_zero(const Vector &b, Vector &x, double tolerance,
                              const SolveProgress &progress = {});

  // z = M^-1 r of the preconditioner, for methods of others.
  void precondition(const Vector &r, Vector &z);

  VectorKernels &kernels() { return kernels_; }
  // Set-ups of the preconditioner so far, and what they took.
  int num_setups() const { return num_setups_; }
  double setup_seconds() const { return setup_seconds_; }
  const Preconditioner &preconditioner() const { return *precond_; }
  // What to change after a solve that failed, which its reason says too; empty where there is none.
  const std::string &advice() const { return advice_; }

private:
  // r_ is the residual of x, of that norm.
  SolveReport solve_scaled(const Vector &b, Vector &x, double tolerance,
                           const SolveProgress &progress, double norm);
  SolveReport solve_in_range(const Vector &b, Vector &x, double tolerance,
                             const SolveProgress &progress, double norm);
  // Goes on from a report's iterations, for so many more at most, until it converges or fails; r_
  // is the residual, of that norm.
  void iterate(const Vector &b, Vector &x, double tolerance, const SolveProgress &progress,
               double norm, SolveReport &report, int iterations);
  std::string advice_on(SolveStatus status, double residual) const;
  void judge_setup(const SolveReport &report);
  bool enlarge_restart();
  double true_residual(const Vector &b, const Vector &x);
  void load_kernels();

  LinearOperator &op_;
  SolverSettings settings_;
  KrylovKind kind_;
  int most_restart_; // of gmres
  VectorKernels kernels_;
  std::shared_ptr<Preconditioner> precond_;
  std::unique_ptr<KrylovMethod> method_;
  Vector r_, scratch_;       // the latter of precondition()
  double cost_when_new_ = 0; // iterations per decade of the residual with a set-up just made
  int num_setups_ = 0;
  std::string advice_; // of the last solve
  double setup_seconds_ = 0;
  std::shared_ptr<const void> threads_apart_; // from a set-up to the iterations after it
};

// Solves A x = b once, to settings.tolerance.
SolveReport solve_linear(LinearOperator &op, const Vector &b, Vector &x,
                         const SolverSettings &settings, const SolveProgress &progress = {});

} // namespace weft
