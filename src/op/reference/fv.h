// Cell-centred finite volumes by plain loops: what their kernels are checked against.
#pragma once

#include <vector>

#include "op/problem/discretisation.h"

namespace weft::reference {

// dq/dt, [dof], of a conservation law with finite_volume: each facet once. Volumes and centroids of
// cells by integrals over their facets, least-squares gradients by orthogonal decomposition.
std::vector<double> fv_rate(const Discretisation &d, const std::vector<double> &state, double time);

} // namespace weft::reference
