#include "solve/time/rate_spectrum.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "linalg/vector_kernels.h"

namespace weft {

namespace {

constexpr int num_warm_up = 12, num_arnoldi = 16;

// J = S^-1 dL/dq S with the sizes S of the fields.
class RateDerivative {
public:
  RateDerivative(ExplicitOperator &op, double time, const Vector &q,
                 const std::vector<std::int64_t> &field_offset)
      : op_(op), time_(time), q_(q),
        kernels_(op.device(), op.precision(), op.layout(), 2, {"jacobi"}), size_(vector()),
        inverse_size_(vector()), rate_(vector()), moved_(vector()) {
    std::vector<double> sizes = op.state(q);
    num_dofs_ = static_cast<std::int64_t>(sizes.size());
    num_unknowns_ = static_cast<double>(sum(op.layout().among, op.num_own(num_dofs_)));
    for (std::size_t f = 0; f < field_offset.size(); ++f) {
      const auto begin = sizes.begin() + field_offset[f];
      const auto end =
          f + 1 < field_offset.size() ? sizes.begin() + field_offset[f + 1] : sizes.end();
      double largest = 0;
      for (auto value = begin; value != end; ++value)
        largest = std::max(largest, std::abs(*value));
      largest = weft::largest(op.layout().among, largest);
      std::fill(begin, end, largest > 0 && std::isfinite(largest) ? largest : 1);
    }
    op.set_state(sizes, size_);
    for (double &size : sizes)
      size = 1 / size;
    op.set_state(sizes, inverse_size_);
    op_.stage(time_, 1, rate_alone, q_, nullptr, nullptr, rate_);
  }

  // Of zeros, padding included, which stays so.
  Vector vector() {
    Vector v = kernels_.vector("eigenvalues of the rate");
    kernels_.zero(v);
    return v;
  }
  Vector first_vector() {
    Vector v = vector();
    op_.set_state(op_.random_state(num_dofs_), v);
    return v;
  }
  VectorKernels &kernels() { return kernels_; }

  // J v, of a vector whose norm is 1.
  void apply(const Vector &v, Vector &product) {
    const double step = change_of_state();
    kernels_.scale(product, size_, v);
    kernels_.combine(moved_, 1, q_, step, product);
    op_.stage(time_, 1, rate_alone, moved_, nullptr, nullptr, product);
    kernels_.combine(moved_, 1 / step, product, -1 / step, rate_);
    kernels_.scale(product, inverse_size_, moved_);
  }

private:
  // The norm of a change of the state, whose fields have the size 1, that rounding does not hide
  // where it is spread over all dofs, and that is small where it is at one.
  double change_of_state() const {
    constexpr double most_spread = 1000;
    const double least = op_.precision() == Precision::f64 ? 1e-9 : 1e-6;
    return least * std::min(std::sqrt(num_unknowns_), most_spread);
  }

  ExplicitOperator &op_;
  double time_;
  const Vector &q_;
  VectorKernels kernels_;
  Vector size_, inverse_size_, rate_, moved_;
  std::int64_t num_dofs_ = 0; // of this rank
  double num_unknowns_ = 0;   // of all
};

// To norm 1; false where there is no such vector.
bool normalise(VectorKernels &kernels, Vector &v, double norm) {
  if (!(norm > 0) || !std::isfinite(norm))
    return false;
  kernels.combine(v, 1 / norm, v, 0, v);
  return true;
}

double dot(VectorKernels &kernels, const Vector &a, const Vector &b) {
  kernels.dots(a, b, 0);
  return kernels.sum(1);
}

} // namespace

std::vector<std::complex<double>> rate_spectrum(ExplicitOperator &op, double time, const Vector &q,
                                                const std::vector<std::int64_t> &field_offset) {
  const DeviceStage stage(op.device(), "stable step");
  RateDerivative derivative(op, time, q, field_offset);
  VectorKernels &kernels = derivative.kernels();
  Vector v = derivative.first_vector();
  Vector product = derivative.vector();
  for (int i = 0; i < num_warm_up; ++i) {
    if (!normalise(kernels, v, kernels.norm(v)))
      return {};
    derivative.apply(v, product);
    std::swap(v, product);
  }
  Eigen::MatrixXd hessenberg = Eigen::MatrixXd::Zero(num_arnoldi, num_arnoldi);
  std::vector<Vector> basis;
  double norm = kernels.norm(v);
  while (static_cast<int>(basis.size()) < num_arnoldi && normalise(kernels, v, norm)) {
    const int column = static_cast<int>(basis.size());
    basis.push_back(std::move(v));
    v = derivative.vector();
    derivative.apply(basis.back(), v);
    for (int row = 0; row <= column; ++row) {
      hessenberg(row, column) = dot(kernels, basis[row], v);
      kernels.combine(v, 1, v, -hessenberg(row, column), basis[row]);
    }
    norm = kernels.norm(v);
    if (column + 1 < num_arnoldi)
      hessenberg(column + 1, column) = norm;
  }
  const auto size = static_cast<Eigen::Index>(basis.size());
  const Eigen::MatrixXd found = hessenberg.topLeftCorner(size, size);
  if (size == 0 || !found.allFinite())
    return {};
  const Eigen::VectorXcd values = found.eigenvalues();
  return {values.begin(), values.end()};
}

} // namespace weft
