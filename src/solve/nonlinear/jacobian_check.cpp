#include "solve/nonlinear/jacobian_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/start_vector.h"

namespace weft {

namespace {

// The difference of two vectors with the same prescribed values.
Vector free_direction(NonlinearOperator &op, VectorKernels &kernels) {
  Vector v = kernels.vector("Jacobian check direction");
  Vector other = kernels.vector("Jacobian check direction");
  set_vector(kernels.device(), v, start_vector(kernels.size(), 1));
  set_vector(kernels.device(), other, start_vector(kernels.size(), 2));
  op.set_constrained(v);
  op.set_constrained(other);
  kernels.combine(v, 1, v, -1, other);
  return v;
}

} // namespace

JacobianCheck check_jacobian(NonlinearOperator &op, const Vector &u, VectorKernels &kernels,
                             int newton_step) {
  const Vector v = free_direction(op, kernels);
  Vector jv = kernels.vector("Jacobian times direction");
  Vector state = kernels.vector("Jacobian check state");
  Vector forward = kernels.vector("Jacobian check residual");
  Vector backward = kernels.vector("Jacobian check residual");
  op.apply(v, jv);
  const double norm_u = kernels.norm(u), norm_v = kernels.norm(v), norm_jv = kernels.norm(jv);

  JacobianCheck check;
  check.allowed = kernels.precision() == Precision::f64 ? 1e-5 : 1e-2;
  check.best = std::numeric_limits<double>::infinity();
  for (int exponent = 1; exponent <= 9; ++exponent) {
    const double step = std::pow(10., -exponent);
    const double h = step * (norm_u > 0 ? norm_u : 1) / norm_v;
    kernels.combine(state, 1, u, h, v);
    op.residual(state, forward);
    kernels.combine(state, 1, u, -h, v);
    op.residual(state, backward);
    kernels.combine(forward, 1 / (2 * h), forward, -1 / (2 * h), backward);
    kernels.combine(forward, 1, forward, -1, jv);
    const double difference = kernels.norm(forward);
    const double error = norm_jv > 0 ? difference / norm_jv : difference;
    check.differences.push_back({newton_step, step, error});
    if (error < check.best) // not for NaN
      check.best = error;
  }
  check.passed = norm_v == 0 || check.best <= check.allowed; // norm_v = 0: all is prescribed
  return check;
}

} // namespace weft
