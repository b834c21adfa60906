#include "solve/precondition/precond_bordered.h"

#include <Eigen/LU>

#include "base/error.h"
#include "solve/krylov/largest_eigenvalue.h"

namespace weft {

namespace {

// Rows and columns may have other units: each is scaled by its largest entry before pivots are
// compared.
Eigen::MatrixXd scaled_inverse(const Eigen::MatrixXd &matrix) {
  const auto scales = [](const Eigen::VectorXd &largest) {
    return Eigen::VectorXd(largest.unaryExpr([](double v) { return v > 0 ? 1 / v : 1.0; }));
  };
  const Eigen::VectorXd rows = scales(matrix.cwiseAbs().rowwise().maxCoeff());
  const Eigen::MatrixXd by_rows = rows.asDiagonal() * matrix;
  const Eigen::VectorXd columns = scales(by_rows.cwiseAbs().colwise().maxCoeff());
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(by_rows * columns.asDiagonal());
  if (!matrix.allFinite() || !lu.isInvertible())
    throw Error(ErrorKind::numerical,
                {.what = "what is left of the equations of fields of the whole domain, once the "
                         "other fields are eliminated, is singular",
                 .remedy = "look for a field with element = \"R\" that no equation determines, or "
                           "set [solver] method = \"direct\""});
  return columns.asDiagonal() * lu.inverse() * rows.asDiagonal();
}

} // namespace

PrecondBordered::PrecondBordered(VectorKernels &kernels, std::int64_t num_border,
                                 const std::set<std::string> &parts, const MakeInner &make_inner)
    : kernels_(kernels), num_border_(num_border),
      leading_kernels_(kernels.device(), kernels.precision(), kernels.size() - num_border,
                       num_lanczos_steps + 2, parts),
      inner_(make_inner(leading_kernels_)), r_(leading_kernels_.vector("residual inside a border")),
      z_(leading_kernels_.vector("correction inside a border")),
      scratch_(leading_kernels_.vector("scratch inside a border")),
      border_(kernels.reals(num_border, "border of a vector")) {}

std::vector<double> PrecondBordered::border_of(const Vector &whole) {
  return kernels_.read_reals(whole.buffer, num_border_, leading_kernels_.size());
}

void PrecondBordered::set_border(const std::vector<double> &values, Vector &whole) {
  kernels_.write_reals(border_, values);
  const std::uint64_t real = size_bytes(kernels_.precision());
  kernels_.device().copy(border_, whole.buffer, num_border_ * real, 0,
                         leading_kernels_.size() * real);
}

void PrecondBordered::take_leading(const Vector &from, Vector &to) {
  kernels_.device().copy(from.buffer, to.buffer,
                         leading_kernels_.size() * size_bytes(kernels_.precision()));
}

// Takes B, and S column by column.
void PrecondBordered::eliminate(LinearOperator &op) {
  Vector x = kernels_.vector("unit vector of the border"), y = kernels_.vector("column of it");
  Eigen::MatrixXd schur(num_border_, num_border_);
  columns_.clear();
  for (std::int64_t k = 0; k < num_border_; ++k) {
    std::vector<double> unit(num_border_, 0.);
    unit[k] = 1;
    kernels_.zero(x);
    set_border(unit, x);
    op.apply(x, y);
    columns_.push_back(leading_kernels_.vector("column of the border"));
    take_leading(y, columns_.back());
    const std::vector<double> corner = border_of(y);
    kernels_.zero(x);
    take_leading(inner_->apply(columns_.back(), z_, scratch_), x);
    op.apply(x, y);
    const std::vector<double> eliminated = border_of(y);
    for (std::int64_t i = 0; i < num_border_; ++i)
      schur(i, k) = corner[i] - eliminated[i];
  }
  inverse_ = scaled_inverse(schur);
}

void PrecondBordered::update(LinearOperator &op) {
  if (!inner_->holds_setup())
    leading_ = std::make_unique<LeadingBlock>(op, leading_kernels_.size());
  inner_->update(*leading_);
  if (!inner_->keeps_setup())
    eliminate(op);
}

const Vector &PrecondBordered::apply(const Vector &r, Vector &z, Vector &) {
  const std::vector<double> s = border_of(r);
  const Eigen::VectorXd y = inverse_ * Eigen::Map<const Eigen::VectorXd>(s.data(), num_border_);
  take_leading(r, r_);
  for (std::int64_t k = 0; k < num_border_; ++k)
    leading_kernels_.combine(r_, 1, r_, -y[k], columns_[k]);
  take_leading(inner_->apply(r_, z_, scratch_), z);
  set_border({y.data(), y.data() + num_border_}, z);
  return z;
}

} // namespace weft
