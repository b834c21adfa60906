// How exactly integrals have to be computed.
#pragma once

#include "op/discretisation.h"

namespace weft {

// Degree in reference coordinates of the values a symbol stands for. On simplices a derivative has
// one degree less; on other cells not, since degrees count in each direction.
int degree_of_symbol(const Discretisation &d, const Symbol &symbol);

// Degree that integrates an integrand of the form exactly on affine cells (non-polynomial functions
// count as two more), at most 2p + 6. Curved cells add the degree of their mapping.
int degree_of_integral(const Discretisation &d, const FormIntegral &integral);

// The same for the outputs of an expression.
int degree_of_expression(const Discretisation &d, const PointwiseFunction &function);

int highest_field_order(const Discretisation &d);

} // namespace weft
