// Linear systems: a Krylov method, checked against the true residual.
#pragma once

#include <memory>

#include "op/operator.h"
#include "solve/krylov.h"
#include "solve/preconditioner.h"
#include "solve/report.h"
#include "solve/settings.h"

namespace weft {

// Keeps kernels, work vectors and the preconditioner between solves with one operator.
class LinearSolver {
public:
  // The operator must outlive the solver. Memory beside b and x, in vectors: cg 3 (jacobi 4,
  // chebyshev 6), bicgstab 5 (7, 8), gmres 2 (4, 5) and the iterations of a cycle rounded up to 8.
  LinearSolver(LinearOperator &op, const SolverSettings &settings);

  // To be called when the operator has changed (a new linearisation).
  void update();

  // Solves A x = b from the x given until |b - A x| <= tolerance times its first value, where
  // b - A x is computed from x; the recurrence of a method only says when to look. What goes wrong
  // is in the report, never an exception; x is then the last finite iterate.
  SolveReport solve(const Vector &b, Vector &x, double tolerance,
                    const SolveProgress &progress = {});

  VectorKernels &kernels() { return kernels_; }

private:
  double true_residual(const Vector &b, const Vector &x);

  LinearOperator &op_;
  SolverSettings settings_;
  KrylovKind kind_;
  VectorKernels kernels_;
  std::unique_ptr<Preconditioner> precond_;
  std::unique_ptr<KrylovMethod> method_;
  Vector r_;
};

// Solves A x = b once, to settings.tolerance.
SolveReport solve_linear(LinearOperator &op, const Vector &b, Vector &x,
                         const SolverSettings &settings, const SolveProgress &progress = {});

} // namespace weft
