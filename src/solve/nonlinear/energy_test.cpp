#include "solve/nonlinear/energy_test.h"

namespace weft {

namespace {

constexpr double sufficient_fall = 1e-4;

double slope(VectorKernels &kernels, const Vector &step, const Vector &residual) {
  kernels.dots(step, residual, 0);
  return kernels.sum(1);
}

} // namespace

bool energy_falls(NonlinearOperator &op, VectorKernels &kernels, const EnergyStep &step,
                  Vector &half_way, Vector &half_way_residual) {
  const double before = slope(kernels, step.step, step.residual);
  if (!(before > 0))
    return false;
  kernels.combine(half_way, 1, step.u, -0.5 * step.factor, step.step);
  op.residual(half_way, half_way_residual);
  const double middle = slope(kernels, step.step, half_way_residual);
  const double after = slope(kernels, step.step, step.after);
  return (before + 4 * middle + after) / 6 >= sufficient_fall * before;
}

} // namespace weft
