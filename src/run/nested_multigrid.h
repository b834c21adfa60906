// Multigrid whose levels are coarser discretisations of the same problem.
#pragma once

#include <vector>

#include "mesh/mesh_levels.h"
#include "op/problem/discretisation.h"
#include "solve/precondition/precond_multigrid.h"

namespace weft {

// What the operator discretises; all must outlive the multigrid.
struct NestedProblem {
  const Case *c = nullptr;
  const Discretisation *d = nullptr;
  const std::vector<CoarserMesh> *coarser = nullptr; // from the finest; may be empty
};

// The levels of NestedLevels: those of high order without a matrix, in arithmetic_precision() of
// the first level's, the others stored as the settings say; below the last of them the matrix is
// coarsened by smoothed aggregation, with rigid body modes where `rigid_body_modes` is set (see
// make_near_null_space()). A cycle for another linearisation makes its spaces and kernels no second
// time.
// Throws `unsupported` for an operator that is not that of a form.
MultigridMaker nested_multigrid(const MultigridSettings &settings, const NestedProblem &problem,
                                bool rigid_body_modes);

} // namespace weft
