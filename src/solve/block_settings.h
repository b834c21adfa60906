// How systems of several fields are preconditioned block by block.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "linalg/near_null_space.h"
#include "linalg/sub_matrix.h"
#include "solve/multigrid_settings.h"

namespace weft {

class LinearOperator;

// commutator: of a constraint, see PrecondCommutator.
enum class BlockSolver { multigrid, chebyshev, jacobi, direct, commutator };

// The dofs of a field.
struct BlockSettings {
  std::string name; // of the field
  DofRange dofs;
  BlockSolver solver = BlockSolver::multigrid;
  MultigridSettings multigrid;
  NearNullSpace near_null_space; // of the block
  bool symmetric = true;
  // What stands for the block where that has no inverse of its own, such as a mass matrix for the
  // Schur complement of a pressure: of an operator as it is now, on the pattern of the block. Null:
  // the block.
  std::function<HostMatrix(LinearOperator &op, const HostMatrix &block)> replacement;
  double sign = 1; // of the replacement
  // Of a commutator: the dofs of the constrained field, and one over the diagonal of their mass
  // matrix.
  DofRange constrained;
  std::vector<double> inverse_mass;
};

} // namespace weft
