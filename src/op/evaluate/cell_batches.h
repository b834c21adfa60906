// All cells in batches, one after the other in the order of the mesh, for what adds to nodes.
#pragma once

#include <functional>

#include "op/evaluate/point_values.h"

namespace weft {

// One call for each batch: its points are those of a quadrature exact up to `degree`, `nodes` are
// the field's in the set of its cells.
void for_each_cell_batch(
    const Discretisation &d, int field, int degree,
    const std::function<void(PointBatch &batch, const NodeMapSet &nodes)> &body);

} // namespace weft
