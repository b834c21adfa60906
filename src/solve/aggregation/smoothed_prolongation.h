// Prolongations of smoothed aggregation, smoothed and not.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/aggregation/tentative_prolongation.h"

namespace weft {

// How couplings are told apart: `strength` and `function` as of make_aggregates(); `of_row_sums`
// as of EigenvalueSample.
struct ProlongationSettings {
  double strength = 0;
  const std::vector<std::uint8_t> &function;
  double of_row_sums = 1;
};

// P = (I - omega D^-1 A_F) T, where A_F is A without weak couplings, which are added to the
// diagonal blocks. omega is taken row by row, from what of_row_sums makes of the row's own bound of
// the eigenvalues of D^-1 A_F, so that cells of bad shape change no other row. Among ranks
// couplings, aggregates and T have ghosts behind the nodes of the matrix's rows.
BlockMatrix smooth_prolongation(const BlockView &matrix, const Couplings &couplings,
                                const Aggregates &aggregates,
                                const TentativeProlongation &tentative,
                                const ProlongationSettings &settings);
// T itself.
BlockMatrix plain_prolongation(const Aggregates &aggregates,
                               const TentativeProlongation &tentative);

} // namespace weft
