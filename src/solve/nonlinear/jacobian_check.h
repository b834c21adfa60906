// The Jacobian that an operator applies, compared with differences of its residual.
#pragma once

#include <vector>

#include "linalg/operator.h"
#include "linalg/vector_kernels.h"
#include "solve/report.h"

namespace weft {

struct JacobianCheck {
  std::vector<JacobianDifference> differences; // one a step size, largest first
  double best = 0;                             // the smallest error
  double allowed = 0;
  bool passed = false;
};

// Compares J v with (F(u + h v) - F(u - h v))/(2h) for one fixed v, zero at prescribed values, and
// h |v| = 1e-1 ... 1e-9 of |u| (of 1 where u = 0): as h falls the error first falls like h^2, then
// rounding takes over, so the smallest one counts. `op` must be linearised at u, and still is.
JacobianCheck check_jacobian(NonlinearOperator &op, const Vector &u, VectorKernels &kernels,
                             int newton_step);

} // namespace weft
