// The hierarchy of smoothed aggregation multigrid, set up on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "linalg/csr_pattern.h"
#include "solve/aggregation/coarse_level.h"
#include "solve/aggregation/hierarchy.h"

namespace weft {

// Told of two levels as soon as the prolongation between them and the coarse one's matrix are made,
// while further levels are: both stay where they are, and nothing of this is changed any more.
using OnLevel = std::function<void(const HierarchyLevel &fine, const HierarchyLevel &coarse)>;

// Makes the levels of `hierarchy`, empty before, from the finest, whose matrix is left out, to the
// first of at most `coarsest_size` unknowns, or one that does not coarsen further. Unknowns without
// neighbours (prescribed ones) get no coarse unknown. On all host threads; the same bits whatever
// their number. Vanek, Mandel, Brezina 1996, DOI 10.1007/BF02238511; 2001,
// DOI 10.1007/s211-001-8015-y. Throws a numerical error for an entry that is not finite and for a
// zero on the diagonal, `unsupported` for 2^31 entries or more.
//
// `rows`: ranks share them, and columns are their places; null: this rank is alone. Then all ranks
// call it, and get levels that they share, at least one, then one that every rank has, and those
// below it. Near null vectors have values of own rows, and of ghosts in `functions`.
void make_aggregation_hierarchy(const CsrPattern &pattern, std::span<const double> values,
                                const NearNullSpace &null_space,
                                const AggregationSettings &settings, Hierarchy &hierarchy,
                                const OnLevel &on_level = {},
                                const std::shared_ptr<const SharedRows> &rows = nullptr);

} // namespace weft
