// Piecewise prolongation from aggregates: what smoothed aggregation smooths.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/near_null_space.h"
#include "solve/aggregation/aggregation.h"

namespace weft {

// The tentative prolongation T: in each aggregate an orthonormal basis of what the near null space
// is there. Block row i of T is one block, in the column of the aggregate of node i.
struct TentativeProlongation {
  int components = 1, num_vectors = 1;
  // [node, component, vector], zero for decoupled unknowns; empty: identities where a node has an
  // aggregate.
  std::vector<double> blocks;
  NearNullSpace coarse; // B_c with T B_c = B
  // [coarse unknown]: without a vector of its own, since the aggregate's are linearly dependent.
  std::vector<std::uint8_t> dropped;
};

// Constants (no vectors given) become identities, so that coarse constants are ones; other vectors
// are orthonormalised in each aggregate (Vanek, Mandel, Brezina 1996, DOI 10.1007/BF02238511,
// algorithm 7.1).
TentativeProlongation make_tentative_prolongation(const Aggregates &aggregates,
                                                  const std::vector<std::uint8_t> &decoupled,
                                                  const NearNullSpace &null_space);

} // namespace weft
