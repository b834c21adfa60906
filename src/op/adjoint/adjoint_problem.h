// The adjoint of a discretised weak form, in the space of its own or of the next order.
#pragma once

#include <string>
#include <vector>

#include "case/case.h"
#include "op/problem/discretisation.h"

namespace weft {

// The form of `d` transposed at a state [dof], see transposed_form(); its solution is 0 where `d`
// prescribes values.
Discretisation transposed(const Discretisation &d, const std::vector<double> &state);

// [dof]: F'(u)^T w, as if nothing were prescribed.
std::vector<double> transposed_product(const Discretisation &d, const std::vector<double> &state,
                                       const std::vector<double> &w);

// The case with every field on elements of the next order; quadrature follows the integrands.
Case enriched_case(const Case &c);
// Why there is none on the mesh: "P4 on tetrahedra"; empty where there is one.
std::string without_next_order(const Case &c, const Mesh &mesh);
// The discretisation of such a case, without notices that another one has given.
Discretisation make_enriched(const Case &enriched, const Mesh &mesh);

// A function's values at the nodes of another space on the same mesh: [dof] to [dof]. Exact from an
// order to a higher one.
std::vector<double> interpolate(const Discretisation &from, const Discretisation &to,
                                const std::vector<double> &values);

} // namespace weft
