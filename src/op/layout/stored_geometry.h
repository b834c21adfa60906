// Geometry of cells computed on the host, for kernels that read it ready-made.
#pragma once

#include <vector>

#include "kernel/cell/cell_integral.h"
#include "op/layout/lane_groups.h"
#include "op/problem/discretisation.h"

namespace weft {

// Stored geometry of a set at quadrature points: [group, entry, lane], lanes without a cell repeat
// the group's first.
std::vector<double> stored_geometry(const Discretisation &d, int set, const LaneGroups &groups,
                                    const Quadrature &quadrature,
                                    const StoredGeometryLayout &layout);

} // namespace weft
