#include "solve/approximate/sparse_inverse.h"

#include <Eigen/QR>
#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "linalg/levels/matrix_transfer.h"

namespace weft {

namespace {

constexpr std::int64_t inverse_rows_a_chunk = 256;
// Entries of a row whose least-squares problem is small: that many cubed are seconds for a few
// rows.
constexpr std::int32_t most_entries = 1000;

// Which entries M has: those of A that are not 0, and the diagonal.
HostMatrix pattern_of_inverse(const HostMatrix &matrix) {
  HostMatrix pattern;
  pattern.row_start.push_back(0);
  for (std::int32_t row = 0; row < matrix.num_rows(); ++row) {
    bool has_diagonal = false;
    const auto add_diagonal = [&] {
      pattern.columns.push_back(row);
      has_diagonal = true;
    };
    for (std::int32_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; ++e) {
      if (!has_diagonal && matrix.columns[e] >= row)
        add_diagonal();
      if (matrix.columns[e] != row && matrix.values[e] != 0)
        pattern.columns.push_back(matrix.columns[e]);
    }
    if (!has_diagonal)
      add_diagonal();
    pattern.row_start.push_back(static_cast<std::int32_t>(pattern.columns.size()));
    if (pattern.row_start[row + 1] - pattern.row_start[row] > most_entries)
      throw Error(
          ErrorKind::unsupported,
          {.what = "a sparse approximate inverse of a matrix with a long row",
           .where = fmt::format("row {}", row),
           .found = fmt::format("{} entries", pattern.row_start[row + 1] - pattern.row_start[row]),
           .allowed = fmt::format("up to {} entries", most_entries),
           .remedy = "choose preconditioner = \"ilu\" or \"jacobi\""});
  }
  pattern.values.resize(pattern.columns.size());
  return pattern;
}

// Least-squares problems of rows, one after the other.
class RowSolver {
public:
  explicit RowSolver(const HostMatrix &matrix) : matrix_(matrix) {}

  // columns: those in which row `row` of M has entries; values: those entries.
  void solve(std::int32_t row, std::span<const std::int32_t> columns, double *values) {
    seen_.clear(); // columns of A in which one of these rows has entries: the equations
    for (const std::int32_t column : columns)
      seen_.insert(seen_.end(), matrix_.columns.begin() + matrix_.row_start[column],
                   matrix_.columns.begin() + matrix_.row_start[column + 1]);
    seen_.push_back(row);
    std::sort(seen_.begin(), seen_.end());
    seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
    const auto equation = [&](std::int32_t column) {
      return std::lower_bound(seen_.begin(), seen_.end(), column) - seen_.begin();
    };
    a_.setZero(static_cast<Eigen::Index>(seen_.size()), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::int32_t e = matrix_.row_start[columns[j]]; e < matrix_.row_start[columns[j] + 1];
           ++e)
        a_(equation(matrix_.columns[e]), static_cast<Eigen::Index>(j)) = matrix_.values[e];
    b_.setZero(a_.rows());
    b_[equation(row)] = 1;
    qr_.compute(a_);
    Eigen::Map<Eigen::VectorXd>(values, a_.cols()) = qr_.solve(b_);
  }

private:
  const HostMatrix &matrix_;
  std::vector<std::int32_t> seen_;
  Eigen::MatrixXd a_;
  Eigen::VectorXd b_;
  // With columns in turn by size, for rows of zeros leave it rank-deficient.
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
};

// (M + M^T)/2 on the pattern of both.
HostMatrix symmetric_part(const HostMatrix &m) {
  const HostMatrix other = transposed(m, m.num_rows());
  HostMatrix sum;
  sum.row_start.push_back(0);
  for (std::int32_t row = 0; row < m.num_rows(); ++row) {
    std::int32_t a = m.row_start[row], b = other.row_start[row];
    const std::int32_t end_a = m.row_start[row + 1], end_b = other.row_start[row + 1];
    while (a < end_a || b < end_b) {
      const bool from_a = b == end_b || (a < end_a && m.columns[a] <= other.columns[b]);
      const bool from_b = a == end_a || (b < end_b && other.columns[b] <= m.columns[a]);
      sum.columns.push_back(from_a ? m.columns[a] : other.columns[b]);
      sum.values.push_back(((from_a ? m.values[a] : 0) + (from_b ? other.values[b] : 0)) / 2);
      a += from_a ? 1 : 0;
      b += from_b ? 1 : 0;
    }
    sum.row_start.push_back(static_cast<std::int32_t>(sum.columns.size()));
  }
  return sum;
}

} // namespace

HostMatrix sparse_approximate_inverse(const HostMatrix &matrix, bool symmetric) {
  HostMatrix inverse = pattern_of_inverse(matrix);
  parallel_chunks(matrix.num_rows(), inverse_rows_a_chunk,
                  [&](std::int64_t begin, std::int64_t end, int) {
                    RowSolver solver(matrix);
                    for (auto row = static_cast<std::int32_t>(begin); row < end; ++row) {
                      const std::int32_t first = inverse.row_start[row];
                      solver.solve(row,
                                   {inverse.columns.data() + first,
                                    std::size_t(inverse.row_start[row + 1] - first)},
                                   inverse.values.data() + first);
                    }
                  });
  return symmetric ? symmetric_part(inverse) : inverse;
}

} // namespace weft
