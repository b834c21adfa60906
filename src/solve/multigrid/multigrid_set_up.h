// Parts of the set-up of multigrid that do not depend on where its finest levels come from.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "linalg/sparse_matrix.h"
#include "solve/multigrid/dense_inverse.h"
#include "solve/multigrid/multigrid_cycles.h"
#include "solve/multigrid_settings.h"

namespace weft {

// Levels on a device, and the last one's matrix on the host, without its scaling.
struct AggregationLevels {
  std::vector<MultigridLevel> levels;
  HostMatrix coarsest;
};

// The levels of smoothed aggregation of a matrix on a device, of which `make_finest` makes the
// first. A thread of its own, which has the device to itself meanwhile, calls it and turns levels
// into those of the device while the host makes the next ones. `rows`: ranks share them, and all
// make the levels, in one thread each, which speaks to the others; null: this rank is alone.
AggregationLevels
make_aggregation_levels(Device &device, const SparseMatrix &matrix,
                        const MultigridSettings &settings, const NearNullSpace &null_space,
                        const std::function<std::unique_ptr<LevelOperator>()> &make_finest,
                        const std::shared_ptr<const SharedRows> &rows);

// The solver of the coarsest level `last`, whose matrix without its scaling is given; null, with a
// notice, where it has too many unknowns, and where ranks share it.
std::unique_ptr<DenseInverse> make_coarsest(Device &device, const LevelOperator &last,
                                            const HostMatrix &matrix,
                                            const MultigridSettings &settings);

} // namespace weft
