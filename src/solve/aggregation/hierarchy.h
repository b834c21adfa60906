// The levels of a multigrid method as matrices on the host, from the finest.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/near_null_space.h"
#include "linalg/sparse_matrix.h"
#include "ranks/shared_rows.h"

namespace weft {

// From a coarse level's unknowns to those of the next finer one.
struct Prolongation {
  HostMatrix entries;          // [fine row], columns are coarse unknowns
  std::int32_t num_coarse = 0; // columns
  HostMatrix transposed; // [coarse row] of this rank; without rows: to be made where it is needed
};

struct HierarchyLevel {
  HostMatrix matrix;         // of the finest level empty: the operator has it
  Prolongation prolongation; // from the next coarser level; of the coarsest empty
  // Eigenvalue of D^-1 A, within some percent; 0: not known, and estimated where it is needed.
  double largest_eigenvalue = 0;
  // Unknowns of a node, consecutive, and what constants of each of them are on this level (empty:
  // ones): a matrix that is rounded keeps its product with them.
  int components = 1;
  std::vector<double> constants; // [row], of ghosts too
  // Among ranks, where they share this level: its rows; else every rank has them all. What leads
  // from a level that is shared to one that is not has columns of the whole of that.
  std::shared_ptr<const SharedRows> rows;
};

struct Hierarchy {
  std::vector<HierarchyLevel> levels;
};

} // namespace weft
