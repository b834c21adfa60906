#include "op/law/mesh/fv_least_squares.h"

#include <Eigen/Dense>

namespace weft {

namespace {

// Fraction of the largest eigenvalue. A cell at an insulated boundary has neighbours on one side
// alone, and its gradient along what they nearly leave out would be their differences many times
// over: diffusion that grows without bound. A regular tetrahedron with one such facet has a share
// of 0.25.
constexpr double least_fraction = 0.05;

template <int dim> void find_weights(std::span<const double> towards, std::span<double> weights) {
  using Vector = Eigen::Matrix<double, dim, 1>;
  using Matrix = Eigen::Matrix<double, dim, dim>;
  const std::size_t count = towards.size() / dim;
  Matrix normal = Matrix::Zero();
  for (std::size_t s = 0; s < count; ++s) {
    const Eigen::Map<const Vector> r(&towards[s * dim]);
    if (r.squaredNorm() > 0)
      normal += r * r.transpose() / r.squaredNorm();
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(normal);
  Matrix inverse = Matrix::Zero();
  for (int e = 0; e < dim; ++e)
    if (eigen.eigenvalues()[e] > least_fraction * eigen.eigenvalues()[dim - 1])
      inverse += eigen.eigenvectors().col(e) * eigen.eigenvectors().col(e).transpose() /
                 eigen.eigenvalues()[e];
  for (std::size_t s = 0; s < count; ++s) {
    const Eigen::Map<const Vector> r(&towards[s * dim]);
    Eigen::Map<Vector> weight(&weights[s * dim]);
    weight.setZero();
    if (r.squaredNorm() > 0)
      weight = inverse * r / r.squaredNorm();
  }
}

} // namespace

void least_squares_weights(int dim, std::span<const double> towards, std::span<double> weights) {
  if (dim == 2)
    find_weights<2>(towards, weights);
  else
    find_weights<3>(towards, weights);
}

} // namespace weft
