// The adjoint of a weak form: its Jacobian transposed, as a form of its own.
#pragma once

#include "form/weak_form/form.h"

namespace weft {

// The form whose residual at z is F'(u)^T z, F being `form` and u a state of it. It is linear in
// its fields z, which are those of `form`; u is known: after the auxiliary fields of `form` come
// its fields, in their order. Outputs: for each value or gradient g_j of the fields
//   sum_i dF_i/dg_j z_i,
// F_i the outputs of `form` and z_i the value or gradient of z that stands at the same index.
// Tables and integrals are over the same groups as those of `form`, which has no C text, no dt()
// and no integral over interior facets.
Form transposed_form(const Form &form);

// The outputs of `integral` as they are tested with a function w, which stands in the place of the
// direction: one output, f0 w + f1 . grad w and so on, summed over all fields.
PointwiseFunction tested_integrand(const Form &form, const FormIntegral &integral);

// The same for the products of w with functions of the nodes: w phi tests as phi does with the
// outputs f0, then f1[direction], then f2[entry] where there are second derivatives.
PointwiseFunction weighted_integrand(const Form &form, const FormIntegral &integral);

} // namespace weft
