// Operators given by a sparse matrix, applied on the device, for the tests of solvers.
#pragma once

#include <Eigen/Sparse>

#include <cmath>
#include <vector>

#include "device/device.h"
#include "device/dialect.h"
#include "linalg/operator.h"
#include "linalg/sparse_matrix.h"
#include "linalg/start_vector.h"
#include "solve/linear/linear.h"
#include "support/gpu_like_device.h"
#include "support/test_device.h"

namespace weft::test {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

inline Device &device() {
  return test_device();
}

inline Vector upload_vector(const Eigen::VectorXd &values, Precision precision) {
  Vector v = make_vector(device(), values.size(), precision, "test vector");
  set_vector(device(), v, std::span(values.data(), values.size()));
  return v;
}

inline Eigen::VectorXd download_vector(const Vector &v) {
  const std::vector<double> values = get_vector(device(), v);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), Eigen::Index(values.size()));
}

inline Eigen::VectorXd random_vector(int size, int seed) {
  const std::vector<double> values = start_vector(size, seed);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), size);
}

// 5-point Laplacian + shift on a square of `size` points (the last row may be short), with rows and
// columns scaled by factors between 1 and 3; `convection` makes it unsymmetric.
inline Matrix stencil_matrix(int size, double shift, double convection = 0) {
  const int width = std::max(1, int(std::sqrt(double(size))));
  std::vector<Eigen::Triplet<double>> entries;
  const auto scale = [](int i) { return 2 + std::sin(0.7 * i); };
  const auto add = [&](int i, int j, double value) {
    if (j >= 0 && j < size)
      entries.emplace_back(i, j, value * scale(i) * scale(j));
  };
  for (int i = 0; i < size; ++i) {
    add(i, i, 4 + shift);
    if (i % width != 0)
      add(i, i - 1, -1 - convection);
    if (i % width != width - 1)
      add(i, i + 1, -1 + convection);
    add(i, i - width, -1);
    add(i, i + width, -1);
  }
  Matrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// On the device, with the entries that the matrix has.
inline std::unique_ptr<SparseMatrix> sparse(const Matrix &matrix,
                                            Precision precision = Precision::f64,
                                            bool symmetric = true,
                                            Device &device = test::device()) {
  auto pattern = std::make_shared<CsrPattern>();
  pattern->num_rows = matrix.rows();
  pattern->row_start.assign(matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.rows() + 1);
  pattern->columns =
      std::vector<std::int32_t>(matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros());
  auto made = std::make_unique<SparseMatrix>(device, pattern, precision, symmetric);
  Vector values{made->values(), matrix.nonZeros(), precision};
  set_vector(device, values, std::span(matrix.valuePtr(), matrix.nonZeros()));
  made->values_changed();
  return made;
}

struct Solution {
  SolveReport report;
  Eigen::VectorXd x;
};

// Solves A x = b from x = 0.
inline Solution solve_system(LinearOperator &op, const Eigen::VectorXd &b,
                             const SolverSettings &settings) {
  const Vector rhs = upload_vector(b, op.precision());
  Vector x = upload_vector(Eigen::VectorXd::Zero(b.size()), op.precision());
  const SolveReport report = solve_linear(op, rhs, x, settings);
  return {report, download_vector(x)};
}

inline constexpr const char *csr_kernels = R"(
WEFT_FUNCTION i32 row_of_item() { return weft_group_id() * weft_group_size() + weft_local_id(); }
WEFT_KERNEL(csr_apply, i32 n, WEFT_GLOBAL const i32 *rows, WEFT_GLOBAL const i32 *columns,
            WEFT_GLOBAL const real *values, WEFT_GLOBAL const real *x, WEFT_GLOBAL real *y) {
  const i32 i = row_of_item();
  if (i >= n) return;
  real sum = 0;
  for (i32 k = rows[i]; k < rows[i + 1]; ++k)
    sum += values[k] * x[columns[k]];
  y[i] = sum;
}
WEFT_KERNEL(cubic_residual, i32 n, real a, WEFT_GLOBAL const real *u, WEFT_GLOBAL const real *b,
            WEFT_GLOBAL real *r) {
  const i32 i = row_of_item();
  if (i < n) r[i] += a * u[i] * u[i] * u[i] - b[i];
}
WEFT_KERNEL(cubic_tangent, i32 n, real a, WEFT_GLOBAL const real *u, WEFT_GLOBAL const real *x,
            WEFT_GLOBAL real *y) {
  const i32 i = row_of_item();
  if (i < n) y[i] += 3 * a * u[i] * u[i] * x[i];
}
)";

// F(u) = A u + a u^3 - b; with a = 0 linear. `tangent_factor` other than 1 spoils the Jacobian.
class CsrOperator : public NonlinearOperator {
public:
  CsrOperator(const Matrix &matrix, Precision precision, bool symmetric = true, double a = 0,
              const Eigen::VectorXd &b = {}, double tangent_factor = 1,
              Device &device = test::device())
      : device_(device), matrix_(matrix), precision_(precision), symmetric_(symmetric), a_(a),
        tangent_a_(a * tangent_factor) {
    matrix_.makeCompressed();
    const std::string real = precision == Precision::f64 ? "F64" : "F32";
    program_ = test::device().build({.name = "test_csr",
                                     .text = "#define WEFT_LANES 1\n#define WEFT_REAL_" + real +
                                             "\n" + dialect_text("opencl") + csr_kernels,
                                     .kernels = {"csr_apply", "cubic_residual", "cubic_tangent"}});
    const std::vector<std::int32_t> rows(matrix_.outerIndexPtr(),
                                         matrix_.outerIndexPtr() + matrix_.rows() + 1);
    const std::vector<std::int32_t> columns(matrix_.innerIndexPtr(),
                                            matrix_.innerIndexPtr() + matrix_.nonZeros());
    rows_ = upload(test::device(), rows, "rows");
    columns_ = upload(test::device(), columns, "columns");
    values_ = upload_vector(
        Eigen::Map<const Eigen::VectorXd>(matrix_.valuePtr(), matrix_.nonZeros()), precision);
    b_ = upload_vector(b.size() ? b : Eigen::VectorXd::Zero(size()), precision);
  }

  std::int64_t size() const override { return matrix_.rows(); }
  Precision precision() const override { return precision_; }
  Device &device() override { return device_; }
  bool symmetric() const override { return symmetric_; }
  bool linear() const override { return a_ == 0; }

  void apply(const Vector &x, Vector &y) override {
    ++num_applied;
    multiply(x, y);
    if (a_ != 0)
      launch("cubic_tangent", {real(tangent_a_), state_.buffer, x.buffer, y.buffer});
  }
  void diagonal(Vector &d) override {
    Eigen::VectorXd values = matrix_.diagonal();
    if (a_ != 0)
      values += 3 * tangent_a_ * download_vector(state_).cwiseAbs2();
    set_vector(test::device(), d, std::span(values.data(), values.size()));
  }
  void residual(const Vector &u, Vector &r) override {
    multiply(u, r);
    launch("cubic_residual", {real(a_), u.buffer, b_.buffer, r.buffer});
  }
  void linearise(const Vector &u) override { state_ = u; }
  void set_constrained(Vector &) override {}

  int num_applied = 0;

private:
  KernelArgument real(double value) const {
    return precision_ == Precision::f64 ? KernelArgument(value) : KernelArgument(float(value));
  }
  void launch(const char *kernel, std::vector<KernelArgument> arguments) {
    arguments.insert(arguments.begin(), std::int32_t(size()));
    test::device().launch(program_, kernel, {.groups = (size() + 63) / 64, .group_size = 64},
                          arguments);
  }
  void multiply(const Vector &x, Vector &y) {
    launch("csr_apply", {rows_, columns_, values_.buffer, x.buffer, y.buffer});
  }

  Device &device_;
  Matrix matrix_;
  Precision precision_;
  bool symmetric_;
  double a_, tangent_a_;
  Program program_;
  Buffer rows_, columns_;
  Vector values_, b_, state_;
};

} // namespace weft::test
