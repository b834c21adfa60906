// The blocks of a linearised form of several fields, seen from its text.
#pragma once

#include <vector>

#include "linalg/sparse_matrix.h"
#include "op/problem/discretisation.h"

namespace weft {

// What a field's own block of the matrix is.
enum class FieldKind {
  elliptic,   // symmetric and positive semi-definite, with gradients: multigrid's
  mass,       // symmetric and positive definite without gradients
  constraint, // none of its own, or a small one without gradients; coupled to one elliptic field's
              // gradient both ways: a pressure
  other
};

struct FieldBlocks {
  std::vector<FieldKind> kinds;           // [field]
  std::vector<bool> ignores_rotations;    // [field]: a vector's block sees strains and no turns
  std::vector<std::vector<bool>> couples; // [field, other]: the equation of one has the other
  std::vector<int> constrained;           // [field]: of a constraint the elliptic field; else -1
  std::vector<int> order;                 // fields, each after those that it depends on, where
                                          // that is possible; constraints before what they
                                          // constrain
  bool solvable() const;                  // no field is `other`
};

// `state`: [dof], at which blocks are looked at.
FieldBlocks find_field_blocks(const Discretisation &d, const std::vector<double> &state);

// What stands for minus the Schur complement of a constraint, on the pattern of its block: its mass
// matrix, weighted at each point by b b' / mu + c, where mu is the coefficient of the constrained
// field's gradient, b and b' those of both couplings and c that of the constraint's own block
// (Elman, Silvester, Wathen 2014, section 4.2, of flows; also of incompressible elasticity).
HostMatrix constraint_mass(const Discretisation &d, const std::vector<double> &state,
                           int constraint, int constrained, const HostMatrix &pattern);

} // namespace weft
