// What a solve is asked to do.
#pragma once

#include <optional>

#include "case/case.h"

namespace weft {

enum class KrylovKind { cg, bicgstab, gmres };
enum class PrecondKind { none, jacobi, chebyshev };

struct NewtonSettings {
  double tolerance = 1e-10; // of |F(u)| relative to its first value
  int max_iterations = 30;
  bool check_jacobian = false; // compare F' with differences of F before every step
};

struct SolverSettings {
  std::optional<KrylovKind> method; // none: cg for a symmetric operator, else gmres
  PrecondKind preconditioner = PrecondKind::jacobi;
  double tolerance = 1e-10; // of the residual's 2-norm relative to its first value
  int max_iterations = 10000;
  int restart = 50;         // gmres: vectors kept; memory grows with those in use
  int chebyshev_degree = 4; // polynomial of that many terms, degree - 1 applications of A
  NewtonSettings newton;
};

// Errors (input): a method or preconditioner that does not exist, a limit that is not positive.
SolverSettings make_solver_settings(const SolverSpec &spec);

} // namespace weft
