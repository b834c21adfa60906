#include "solve/multigrid/dense_inverse.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "device/lanes.h"
#include "linalg/vector_cost.h"

namespace weft {

namespace {

// Reciprocal condition below which a matrix counts as singular: that of a regular coarse level is
// far above, that of rounding in f64 far below.
constexpr double least_condition = 1e-12;

// Lane groups of rows that a work-group does, and work-items for each.
int rows_of(const DeviceInfo &info) {
  return info.is_cpu ? 1 : 32;
}
int parts_of(const DeviceInfo &info) {
  return info.is_cpu ? 1 : 8;
}

Eigen::MatrixXd dense_matrix(const HostMatrix &matrix, const std::vector<double> &s) {
  const Eigen::Index n = matrix.num_rows();
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  for (std::int32_t row = 0; row < n; ++row)
    for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e)
      a(row, matrix.columns[e]) = matrix.values[e] * s[row] * s[matrix.columns[e]];
  return a;
}

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd &a, bool symmetric) {
  const auto inverted = [](const Eigen::VectorXd &values) {
    const double least = least_condition * values.cwiseAbs().maxCoeff();
    return Eigen::VectorXd(
        values.unaryExpr([&](double v) { return std::abs(v) > least ? 1 / v : 0.0; }));
  };
  if (symmetric) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
    return solver.eigenvectors() * inverted(solver.eigenvalues()).asDiagonal() *
           solver.eigenvectors().transpose();
  }
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixV() * inverted(svd.singularValues()).asDiagonal() * svd.matrixU().transpose();
}

} // namespace

DenseInverse::DenseInverse(Device &device, const HostMatrix &matrix, const Vector *scaling,
                           Precision precision, int systems)
    : device_(device), size_(matrix.num_rows()), precision_(precision), systems_(systems) {
  const DeviceInfo &info = device.info();
  const Eigen::MatrixXd a = dense_matrix(matrix, scaling ? get_vector(device, *scaling)
                                                         : std::vector<double>(size_, 1.0));
  if (!a.allFinite())
    throw Error(ErrorKind::numerical,
                {.what = "the coarsest level of multigrid has entries that are not finite",
                 .remedy = "check coefficients and the state that the operator is linearised at"});
  const bool symmetric =
      (a - a.transpose()).cwiseAbs().maxCoeff() <= 1e-10 * a.cwiseAbs().maxCoeff();
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(a);
  singular_ = !(lu.rcond() > least_condition);
  const Eigen::MatrixXd inverse = singular_ ? pseudo_inverse(a, symmetric) : lu.inverse();

  lanes_ = default_lanes(info, precision);
  const std::int64_t stride = (size_ + lanes_ - 1) / lanes_ * lanes_;
  std::vector<double> padded(stride * size_, 0.0);
  for (std::int64_t column = 0; column < size_; ++column)
    for (std::int64_t row = 0; row < size_; ++row)
      padded[column * stride + row] =
          symmetric ? (inverse(row, column) + inverse(column, row)) / 2 : inverse(row, column);
  Vector stored = make_vector(device, stride * size_, precision, "inverse of the coarsest level");
  set_vector(device, stored, padded);
  inverse_ = stored.buffer;
  program_ = device.build({.name = "dense_" + to_string(precision),
                           .text = program_head(info.backend, precision, lanes_) +
                                   fmt::format("#define WEFT_SYSTEMS {}\n#define WEFT_ROWS {}\n"
                                               "#define WEFT_PARTS {}\n",
                                               systems_, rows_of(info), parts_of(info)) +
                                   embedded_text("kernels/matrix/dense.kernel"),
                           .kernels = {"dense_apply"}});
}

void DenseInverse::apply(const Vector &b, Vector &x) {
  require(b.size == size_ * systems_ && x.size == b.size && b.precision == precision_ &&
              x.precision == precision_,
          "vectors of the coarsest level");
  const DeviceInfo &info = device_.info();
  const std::int64_t rows = rows_of(info), parts = parts_of(info);
  const std::int64_t items = (size_ + lanes_ - 1) / lanes_;
  const Launch launch = {(items + rows - 1) / rows, rows * parts};
  count_next_launch(device_, [&] {
    const auto n = static_cast<double>(size_), real = static_cast<double>(size_bytes(precision_));
    const double entries = n * static_cast<double>(items * lanes_), systems = systems_;
    const double sums = static_cast<double>(launch.groups * rows * parts * lanes_) * systems;
    KernelCost cost = {.operations = {.additions = sums, .multiply_adds = entries * systems},
                       .bytes_read = real * (entries + n * systems),
                       .bytes_written = real * n * systems,
                       .local_bytes = parts > 1 ? 2 * real * sums : 0,
                       .lanes = static_cast<double>(lanes_)};
    count_launch(cost, launch);
    return cost;
  });
  device_.launch(program_, "dense_apply", launch,
                 {static_cast<std::int32_t>(size_), inverse_, b.buffer, x.buffer});
}

} // namespace weft
