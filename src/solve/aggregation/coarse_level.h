// One step of smoothed aggregation: from a matrix to that of the next coarser level.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "linalg/block_matrix.h"
#include "linalg/near_null_space.h"
#include "ranks/shared_rows.h"

namespace weft {

struct AggregationSettings {
  // Nodes i and j are connected strongly where size_ij > strength * sqrt(largest_i largest_j), with
  // the largest sizes among the couplings of i and of j. Open: 0.28 for scalar unknowns (above 1/4,
  // what bilinear cells that are stretched without end couple across their short sides), 0.08 for
  // nodes of several.
  std::optional<double> strength;
  bool smoothing = true;            // false: plain aggregation, for K cycles
  std::int64_t coarsest_size = 400; // no further level below so many unknowns
  int max_levels = 20;
  // Among ranks: a level of at most so many unknowns in all is on every rank.
  std::int64_t gathered_size = 0;
};

// The next coarser level. Among ranks rows are those of each, and columns its places.
struct CoarseLevel {
  std::int64_t num_nodes = 0; // of all ranks; 0: nothing to coarsen
  BlockMatrix prolongation;   // [own fine node]
  BlockMatrix restriction;    // [own coarse node], columns are fine nodes, ghosts too
  BlockMatrix matrix;
  NearNullSpace null_space; // of the matrix's rows
  // Coarse nodes of each rank; null: every rank has them all, as this one alone does.
  std::shared_ptr<const SharedRows> nodes;
  double largest_eigenvalue = 0; // of the fine level's D^-1 A, within some percent
};

CoarseLevel make_coarse_level(const BlockView &matrix, const NearNullSpace &null_space,
                              const AggregationSettings &settings);

// All: of a matrix whose nodes ranks share. Aggregates are of the nodes of one rank each. `space`
// has values of ghosts only in `functions`. Coarse nodes are `gathered` on every rank where the
// settings ask for it.
CoarseLevel make_coarse_level_of_ranks(const BlockView &matrix, const NearNullSpace &space,
                                       const AggregationSettings &settings,
                                       const SharedRows &nodes);

// Above this share of nodes that stay, coarser levels cost more than they help.
constexpr double slowest_coarsening = 0.8;
constexpr double default_strength(int components) {
  return components > 1 ? 0.08 : 0.28;
}

} // namespace weft
