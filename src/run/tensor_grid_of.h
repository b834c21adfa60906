// The tensor-product grid that a mesh's nodes lie on.
#pragma once

#include "op/problem/discretisation.h"
#include "solve/tensor_grid.h"

namespace weft {

// Of the one field of a discretisation: its nodes have, in each direction, one of some coordinates,
// and each combination of these is one node. No unknowns where they are not such, or there are
// several fields.
TensorGrid tensor_grid_of(const Discretisation &d);

} // namespace weft
