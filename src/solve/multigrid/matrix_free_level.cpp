#include "solve/multigrid/matrix_free_level.h"

#include <cmath>

#include "base/error.h"
#include "linalg/halo/shared_rows_of.h"

namespace weft {

MatrixFreeLevel::MatrixFreeLevel(LinearOperator &op)
    : op_(op),
      kernels_(op.device(), op.precision(), op.layout(), 1, {"jacobi", "matrix_free_level"}),
      scaling_(kernels_.vector("scaling of a level")),
      diagonal_(kernels_.vector("diagonal of a level")),
      unscaled_(kernels_.vector("unknowns of a level")),
      product_(kernels_.vector("product of a level")) {
  if (const std::shared_ptr<const SharedRows> rows = shared_rows_of(op))
    halo_ = std::make_shared<Halo>(op.device(), *rows->ranks, rows->halo, op.precision());
  update();
}

void MatrixFreeLevel::update() {
  op_.diagonal(diagonal_);
  std::vector<double> diagonal = get_vector(op_.device(), diagonal_);
  std::vector<double> scaling(diagonal.size(), 1.0);
  for (std::size_t i = 0; i < diagonal.size(); ++i)
    if (diagonal[i] > 0) {
      scaling[i] = 1 / std::sqrt(diagonal[i]);
      diagonal[i] = 1;
    }
  set_vector(op_.device(), scaling_, scaling);
  set_vector(op_.device(), diagonal_, diagonal);
  if (halo_)
    halo_->exchange(scaling_.buffer); // transfers look at ghosts
}

std::uint64_t MatrixFreeLevel::bytes() const {
  return 4 * static_cast<std::uint64_t>(size()) * size_bytes(precision());
}

void MatrixFreeLevel::diagonal(Vector &d) {
  kernels_.copy(diagonal_, d);
}

void MatrixFreeLevel::multiply(const Vector &x) {
  require(x.size == size() && x.precision == precision(), "a vector of this level");
  kernels_.scale(unscaled_, scaling_, x);
  op_.apply(unscaled_, product_);
}

void MatrixFreeLevel::apply(const Vector &x, Vector &y) {
  multiply(x);
  kernels_.scale(y, scaling_, product_);
}

void MatrixFreeLevel::residual(const Vector &b, const Vector &x, Vector &r) {
  multiply(x);
  kernels_.over_vector("matrix_free_residual",
                       {r.buffer, b.buffer, product_.buffer, scaling_.buffer});
}

void MatrixFreeLevel::smooth(const Vector &b, const Vector &x, Vector &w, Vector &out,
                             const SmootherStep &step) {
  if (step.reads_x)
    multiply(x);
  const Vector &from = step.reads_x ? x : b; // no kernel takes a vector that is not there
  kernels_.over_vector("matrix_free_step",
                       {out.buffer, w.buffer, b.buffer, from.buffer, product_.buffer,
                        scaling_.buffer, kernels_.real(step.c1), kernels_.real(step.c2),
                        std::int32_t(step.reads_w), std::int32_t(step.reads_x),
                        std::int32_t(step.keeps_w)});
}

} // namespace weft
