// How exactly integrals have to be computed.
#pragma once

#include "op/problem/discretisation.h"

namespace weft {

// Degree in reference coordinates of the values a symbol stands for. On simplices a derivative has
// one degree less; on other cells not, since degrees count in each direction.
int degree_of_symbol(const Discretisation &d, const Symbol &symbol);

// `exact` integrates an integrand exactly on affine cells (functions that are no polynomials count
// as max(2, p - 1) more, p the highest order of the fields); `used` is the same, but at most 2p
// + 6. On curved cells both have the degree of their mapping added.
struct QuadratureDegree {
  int exact = 0;
  int used = 0;
};
QuadratureDegree degree_of_integral(const Discretisation &d, const FormIntegral &integral);

// The same for the outputs of an expression.
QuadratureDegree degree_of_expression(const Discretisation &d, const PointwiseFunction &function);

int highest_field_order(const Discretisation &d);

} // namespace weft
