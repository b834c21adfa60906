// Second derivatives as kernels have them: of reference coordinates.
#pragma once

#include <functional>

#include "form/graph/pointwise.h"
#include "form/weak_form/form.h"

namespace weft {

// Whether cells on a side are straight simplices, whose map has no second derivatives.
using IsStraight = std::function<bool(Side)>;

// The residual or linearised function of an integral that has second derivatives, with those of
// fields and the like, and what those of test functions are multiplied with (f2), in reference
// coordinates xi. With K = d xi / d x, g the gradient and X_m the second derivatives of x_m,
//   Hessian = K^T (reference Hessian - sum_m g_m X_m) K,
// so that f2 becomes K f2 K^T, and f1_m loses its product with X_m. Gradients and f1 stay those of
// x. K and X are the symbols inverse_jacobian and map_hessian.
PointwiseFunction with_reference_hessians(const PointwiseFunction &function, const Form &form,
                                          Domain domain, const IsStraight &is_straight);

} // namespace weft
