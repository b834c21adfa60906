// The degree in which metric terms of discontinuous Galerkin methods are interpolated.
#pragma once

#include "op/problem/discretisation.h"

namespace weft {

// Along a line, of cells with fluxes of order p >= 1. In curl form the metric is of the degree of
// what is interpolated, which is twice the geometry's where it is exact; Gauss's rule integrates
// its products with the element's polynomials up to degree p + 1, and exact matrices those that are
// of degree p on triangles, as they are where cells are straight.
int dg_metric_order(const Discretisation &d, int order);

} // namespace weft
