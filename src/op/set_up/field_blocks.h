// The blocks of a linearised form of several fields, seen from its text.
#pragma once

#include <vector>

#include "linalg/sparse_matrix.h"
#include "op/problem/discretisation.h"

namespace weft {

// What a field's own block of the matrix is.
enum class FieldKind {
  elliptic,    // symmetric and positive semi-definite, with gradients: multigrid's
  mass,        // symmetric and positive definite without gradients
  transported, // with gradients, symmetric and positive semi-definite in them, and with other terms
               // that need not be so: convection, reaction
  constraint,  // none of its own, or a small one without gradients; coupled to the gradient of one
               // elliptic or transported field both ways: a pressure
  border,      // of the whole domain: eliminated before the others, whatever it is
  other
};

struct FieldBlocks {
  std::vector<FieldKind> kinds;           // [field]
  std::vector<bool> ignores_rotations;    // [field]: a vector's block sees strains and no turns
  std::vector<std::vector<bool>> couples; // [field, other]: the equation of one has the other
  std::vector<int> constrained;           // [field]: of a constraint that field; else -1
  std::vector<bool> commutes;             // [field]: of a constraint, no mass matrix stands for its
                                          // Schur complement, since what it constrains has values
                                          // in its own block: convection, inertia
  std::vector<bool> damped;               // [field]: no value of its own makes it grow
  std::vector<int> order;                 // fields, each after those that it depends on, where
                                          // that is possible; constraints before what they
                                          // constrain
  bool solvable() const;                  // no field is `other`
  bool definite() const;                  // and none but constraints is transported or commutes,
                                          // nor is there a border
};

// `state`: [dof], at which blocks are looked at.
FieldBlocks find_field_blocks(const Discretisation &d, const std::vector<double> &state);

// What stands for minus the Schur complement of a constraint, on the pattern of its block: its mass
// matrix, weighted at each point by b b' / mu + c. mu is the coefficient of the constrained field's
// stretch, which gradients of the constraint see (of 2 mu eps twice the viscosity), b and b' are
// those of both couplings and c that of the constraint's own block (Elman, Silvester, Wathen 2014,
// section 4.2, of flows; also of incompressible elasticity).
HostMatrix constraint_mass(const Discretisation &d, const std::vector<double> &state,
                           int constraint, int constrained, const HostMatrix &pattern);

} // namespace weft
