// The hierarchy of smoothed aggregation multigrid, set up on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "linalg/csr_pattern.h"
#include "solve/aggregation/hierarchy.h"

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
};

// Told of two levels as soon as the prolongation between them and the coarse one's matrix are made,
// while further levels are: both stay where they are, and nothing of this is changed any more.
using OnLevel = std::function<void(const HierarchyLevel &fine, const HierarchyLevel &coarse)>;

// Makes the levels of `hierarchy`, empty before, from the finest, whose matrix is left out, to the
// first of at most `coarsest_size` unknowns, or one that does not coarsen further. Unknowns without
// neighbours (prescribed ones) get no coarse unknown. On all host threads; the same bits whatever
// their number. Vanek, Mandel, Brezina 1996, DOI 10.1007/BF02238511; 2001,
// DOI 10.1007/s211-001-8015-y. Throws a numerical error for an entry that is not finite and for a
// zero on the diagonal, `unsupported` for 2^31 entries or more.
void make_aggregation_hierarchy(const CsrPattern &pattern, std::span<const double> values,
                                const NearNullSpace &null_space,
                                const AggregationSettings &settings, Hierarchy &hierarchy,
                                const OnLevel &on_level = {});

} // namespace weft
