// Parts of the set-up of multigrid that do not depend on where its finest levels come from.
#pragma once

#include <functional>
#include <memory>

#include "op/sparse_matrix.h"
#include "solve/dense_inverse.h"
#include "solve/hierarchy.h"
#include "solve/multigrid_settings.h"

namespace weft {

// The levels of smoothed aggregation from a matrix on a device. `beside` runs meanwhile in a thread
// of its own and has the device to itself.
Hierarchy aggregation_hierarchy(const SparseMatrix &matrix, const MultigridSettings &settings,
                                const NearNullSpace &null_space,
                                const std::function<void()> &beside = {});

// The solver of the coarsest level `last`, whose matrix without its scaling is given; null, with a
// warning, where it has too many unknowns.
std::unique_ptr<DenseInverse> make_coarsest(Device &device, const LevelOperator &last,
                                            const HostMatrix &matrix,
                                            const MultigridSettings &settings);

} // namespace weft
