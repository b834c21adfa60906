// Geometry of cells computed on the host, for kernels that read it ready-made.
#pragma once

#include <vector>

#include "op/discretisation.h"
#include "op/lane_groups.h"

namespace weft {

// Stored geometry of a set at quadrature points: [group, entry, lane], lanes without a cell repeat
// the group's first. Entries: inverse Jacobian [e][d] = d xi_e/d x_d, det J, and x (if
// `positions`): for `affine` cells once (x at every point), else all of it a point. See
// kernel/cell_functions.h.
std::vector<double> stored_geometry(const Discretisation &d, int set, const LaneGroups &groups,
                                    const Quadrature &quadrature, bool affine, bool positions);

} // namespace weft
