// How far rounding may keep a residual from zero.
#pragma once

#include "linalg/operator.h"

namespace weft {

// Norm of the residual that rounding of its terms can leave, whatever x is: the terms of a row are
// of the size of the operator's diagonal times x. Entries of x at prescribed dofs should be zero.
// Waits, and reads both from the device.
double rounding_of_residual(LinearOperator &op, const Vector &x);

} // namespace weft
