#include "solve/preconditioner.h"

namespace weft {

void describe_preconditioner(SolveReport &report, const Preconditioner &precond) {
  report.levels = precond.levels();
  report.library = precond.library();
  report.null_pivots = precond.null_pivots();
}

void PrecondJacobi::update(LinearOperator &op) {
  if (!inverse_.buffer)
    inverse_ = kernels_.vector("inverse diagonal");
  op.diagonal(inverse_);
  kernels_.invert(inverse_);
}

const Vector &PrecondJacobi::apply(const Vector &r, Vector &z, Vector &) {
  kernels_.scale(z, inverse_, r);
  return z;
}

void PrecondWithSetup::update(LinearOperator &op) {
  kept_ = reuse_ && made_;
  if (kept_)
    return keep_set_up();
  made_ = false; // while set_up() may fail
  set_up(op);
  made_ = true;
}

} // namespace weft
