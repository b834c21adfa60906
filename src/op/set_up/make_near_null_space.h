// The near null space of a discretisation.
#pragma once

#include "linalg/near_null_space.h"
#include "op/problem/discretisation.h"

namespace weft {

// Constants of each component; with `rigid_body_modes`, where the only field
// is a vector of the mesh's dimension, translations and rotations about the mean of its nodes (2D:
// 3, 3D: 6). Prescribed dofs are zero in them. Fields of the whole domain are left out, with their
// dofs.
NearNullSpace make_near_null_space(const Discretisation &d, bool rigid_body_modes);

// Of a field's own block, its dofs from 0.
NearNullSpace near_null_space_of_field(const Discretisation &d, int field, bool rigid_body_modes);

} // namespace weft
