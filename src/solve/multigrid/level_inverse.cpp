#include "solve/multigrid/level_inverse.h"

#include "linalg/sub_matrix.h"
#include "solve/approximate/incomplete_factors.h"
#include "solve/approximate/sparse_inverse.h"

namespace weft {

namespace {

class InverseByFactors : public LevelInverse {
public:
  explicit InverseByFactors(std::unique_ptr<TriangularFactors> factors)
      : factors_(std::move(factors)) {}
  void apply(const Vector &r, Vector &z) override { factors_->solve(r, z); }
  std::uint64_t bytes() const override { return factors_->bytes(); }

private:
  std::unique_ptr<TriangularFactors> factors_;
};

class SparseInverse : public LevelInverse {
public:
  explicit SparseInverse(std::unique_ptr<SparseMatrix> matrix) : matrix_(std::move(matrix)) {}
  void apply(const Vector &r, Vector &z) override { matrix_->apply(r, z); }
  std::uint64_t bytes() const override {
    return static_cast<std::uint64_t>(sparse_matrix_bytes(
        matrix_->size(), matrix_->pattern().num_entries(), matrix_->precision()));
  }

private:
  std::unique_ptr<SparseMatrix> matrix_;
};

// Without what leads to rows of other ranks.
HostMatrix own_block(const HostMatrix &matrix) {
  HostMatrix block;
  block.row_start.push_back(0);
  for (std::int32_t row = 0; row < matrix.num_rows(); ++row) {
    for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e)
      if (matrix.columns[e] < matrix.num_rows()) {
        block.columns.push_back(matrix.columns[e]);
        block.values.push_back(matrix.values[e]);
      }
    block.row_start.push_back(static_cast<std::int32_t>(block.columns.size()));
  }
  return block;
}

// S A S.
HostMatrix scaled_as(HostMatrix matrix, Device &device, const LevelOperator &level) {
  if (level.halo())
    matrix = own_block(matrix);
  if (!level.scaling())
    return matrix;
  const std::vector<double> s = get_vector(device, *level.scaling());
  for (std::int32_t row = 0; row < matrix.num_rows(); ++row)
    for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e)
      matrix.values[e] *= s[row] * s[matrix.columns[e]];
  return matrix;
}

} // namespace

std::unique_ptr<LevelInverse> make_level_inverse(Device &device, SmootherKind smoother,
                                                 const HostMatrix &matrix,
                                                 const LevelOperator &level, bool symmetric) {
  switch (smoother) {
  case SmootherKind::chebyshev:
  case SmootherKind::jacobi:
    return nullptr;
  case SmootherKind::ilu:
    return std::make_unique<InverseByFactors>(
        make_incomplete_factors(device, scaled_as(matrix, device, level),
                                {.symmetric = symmetric, .precision = level.precision()}));
  case SmootherKind::spai:
    return std::make_unique<SparseInverse>(upload_matrix(
        device, sparse_approximate_inverse(scaled_as(matrix, device, level), symmetric),
        level.precision(), symmetric));
  }
  return nullptr;
}

} // namespace weft
