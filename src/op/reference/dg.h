// Nodal discontinuous Galerkin by plain loops: what its kernels are checked against.
#pragma once

#include <vector>

#include "op/problem/discretisation.h"

namespace weft::reference {

// dq/dt, [dof], of the conservation law of a discretisation with discontinuous node maps: the weak
// form cell by cell with full matrices, each facet once, neighbours by the positions of their
// nodes. Gradients of viscous laws: in cells those of the symmetric interior penalty method,
// grad(q) with the jumps (q+ - q-)/2 n lifted; on facets those of the cell's own polynomials, with
// the penalty (p + 1)(p + d)/d area/volume, the larger of both cells' (Shahbazi 2005,
// doi:10.1016/j.jcp.2004.11.017). Of finite volumes fv_rate().
std::vector<double> dg_rate(const Discretisation &d, const std::vector<double> &state, double time);

// [component of all fields in a row]: the integrals of nodal values, [dof], by the weights of the
// mass matrices' row sums: what the method conserves.
std::vector<double> dg_integrals(const Discretisation &d, const std::vector<double> &values);

} // namespace weft::reference
