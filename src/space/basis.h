// Basis functions of the Lagrange elements at a point; the parts of Element::tabulate.
#pragma once

#include <vector>

#include "space/element.h"

namespace weft {

// Coefficients [mode, node] that make the pyramid's modes nodal.
std::vector<double> pyramid_coefficients(const Element &element);

// Of a Lagrange element with the nodes of make_nodal_element(): the number of each node there.
std::vector<int> nodal_numbers(const Element &element);

// The rational modes of the pyramid of order r (Bergot, Cohen and Durufle 2010,
// doi:10.1007/s10915-009-9334-9) at one point: values [mode], gradients [mode, 3].
// With w = 1 - z and the position s, t in [-1, 1] within the cross-section,
//   mode (i, j, k) = P_i(s) P_j(t) w^max(i,j) z^k,  0 <= i, j <= r,  0 <= k <= r - max(i,j).
// Gradients at the apex depend on the direction; there the limit along the axis is taken.
void pyramid_modes(int order, const double *point, std::vector<double> &values,
                   std::vector<double> &gradients);

// Their second derivatives: [mode, 3, 3].
std::vector<double> pyramid_mode_hessians(int order, const double *point);

} // namespace weft
