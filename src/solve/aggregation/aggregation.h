// Aggregates of strongly connected nodes: what a coarse node of smoothed aggregation stands for.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/block_matrix.h"

namespace weft {

inline constexpr std::int32_t no_aggregate = -1;

struct Aggregates {
  std::int32_t count = 0;
  std::vector<std::int32_t> of_node; // no_aggregate: decoupled from all others
};

// Couplings of one matrix whose rows come in nodes.
struct Couplings {
  // [block]: Frobenius norms; empty where blocks are single entries.
  std::vector<double> norms;
  // The size of a coupling is this times the entry, or its norm: an entry with the diagonal's sign
  // couples nothing (in cells of bad shape neighbours may differ most where it is large).
  double factor = 1;
  // [node]: root of the largest size among its couplings to others. Among ranks nodes of others
  // follow, which take no part in the aggregates of this one.
  std::vector<float> scales;
  // [scalar row]: entries beside the diagonal add up to next to nothing, as of prescribed unknowns:
  // a smoother solves such a row alone.
  std::vector<std::uint8_t> decoupled;

  // [block]: what `factor` multiplies.
  const double *entries(const BlockView &matrix) const {
    return norms.empty() ? matrix.values : norms.data();
  }
};

// Throws a numerical error for an entry that is not finite and for a diagonal entry that is zero
// or missing.
Couplings measure_couplings(const BlockView &matrix);

// Nodes i and j are connected strongly where size_ij > strength * sqrt(largest_i largest_j),
// largest_i the largest size in row i. `function`: empty, or a number of each node; only nodes of
// the same number meet in an aggregate.
//
// After Vanek, Mandel, Brezina (1996, DOI 10.1007/BF02238511), algorithm 5.1: a node none of whose
// strong neighbours has an aggregate makes one with all of them; nodes left over join the aggregate
// that they are connected with most. The first step runs in chunks of nodes at once, for nodes
// whose neighbours lie in their chunk; then for the others in the order of their numbers. The
// result does not depend on the number of threads.
Aggregates make_aggregates(const BlockView &matrix, const Couplings &couplings, double strength,
                           const std::vector<std::uint8_t> &function);

} // namespace weft
