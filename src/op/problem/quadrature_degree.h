// How exactly integrals have to be computed.
#pragma once

#include "op/problem/discretisation.h"

namespace weft {

// Degree in reference coordinates of the values a symbol stands for. On simplices a derivative has
// one degree less; on other cells not, since degrees count in each direction.
int degree_of_symbol(const Discretisation &d, const Symbol &symbol);

// `used` is `exact` but for powers that nobody integrates exactly: at most 2 p + 6, p the highest
// order of the fields; on curved cells more by the degree of their mapping.
struct QuadratureDegree {
  int exact = 0;
  int used = 0;
};

// Of a product with test functions: `exact` integrates it exactly on affine cells. A function that
// is no polynomial counts as 2 more, of a load as p - 1 more. On curved cells the product of the
// unknowns with their mapping counts if that is more: coefficients and mapping need no more
// together than either does, since what matters is the order of the error (Ciarlet, Raviart 1972).
QuadratureDegree degree_of_integral(const Discretisation &d, const FormIntegral &integral);

// Of the outputs of an expression, integrated for itself: coordinates count with the order of the
// geometry, functions that are no polynomials as max(2, p - 1) more, and the mapping of curved
// cells is added.
QuadratureDegree degree_of_expression(const Discretisation &d, const PointwiseFunction &function);

int highest_field_order(const Discretisation &d);

} // namespace weft
