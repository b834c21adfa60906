#include "solve/eigenvalue_sample.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "solve/start_vector.h"

namespace weft {

namespace {

constexpr std::int64_t run_length = 512; // nodes
constexpr std::int64_t most_runs = 16;
constexpr int most_steps = 10;

// D^-1 A of the rows of some runs of nodes, without what leads out of a run.
struct SampledRows {
  std::vector<std::int64_t> start = {0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  double mean_row_sum = 1; // of moduli, of the whole rows

  std::int64_t num_rows() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

// Appends the rows of node `node`, which is the one at `at` in the sample; returns the sum of their
// sums of moduli.
double append_node(const BlockView &matrix, std::int64_t node, std::int64_t begin, std::int64_t end,
                   std::int64_t at, SampledRows &rows) {
  double sums = 0;
  const std::int32_t first = matrix.start[node], last = matrix.start[node + 1];
  for (int r = 0; r < matrix.height; ++r) {
    double diagonal = 1, sum = 0;
    const auto before = static_cast<std::int64_t>(rows.values.size());
    const double *entries = matrix.entries(node, r);
    for (std::int32_t b = first; b < last; ++b) {
      const std::int32_t other = matrix.columns[b];
      for (int c = 0; c < matrix.width; ++c, ++entries) {
        sum += std::fabs(*entries);
        if (other == node && c == r)
          diagonal = *entries;
        if (other < begin || other >= end || *entries == 0)
          continue;
        rows.columns.push_back(static_cast<std::int32_t>((at + other - node) * matrix.height + c));
        rows.values.push_back(*entries);
      }
    }
    for (std::size_t k = before; k < rows.values.size(); ++k)
      rows.values[k] /= diagonal;
    rows.start.push_back(static_cast<std::int64_t>(rows.values.size()));
    sums += sum / std::fabs(diagonal);
  }
  return sums;
}

SampledRows sample_rows(const BlockView &matrix) {
  SampledRows rows;
  const std::int64_t runs = std::min(most_runs, (matrix.num_rows + run_length - 1) / run_length);
  double sums = 0;
  std::int64_t at = 0;
  for (std::int64_t run = 0; run < runs; ++run) {
    // Runs that together hold the whole matrix follow one another.
    const bool all = matrix.num_rows <= most_runs * run_length;
    const std::int64_t begin =
        all ? run * matrix.num_rows / runs : run * (matrix.num_rows - run_length) / (runs - 1);
    const std::int64_t end = all ? (run + 1) * matrix.num_rows / runs : begin + run_length;
    for (std::int64_t node = begin; node < end; ++node)
      sums += all ? append_node(matrix, node, 0, matrix.num_rows, at++, rows)
                  : append_node(matrix, node, begin, end, at++, rows);
  }
  rows.mean_row_sum = sums / static_cast<double>(std::max<std::int64_t>(rows.num_rows(), 1));
  return rows;
}

Eigen::VectorXd product(const SampledRows &rows, const Eigen::VectorXd &x) {
  Eigen::VectorXd y(rows.num_rows());
  for (std::int64_t i = 0; i < rows.num_rows(); ++i) {
    double sum = 0;
    for (std::int64_t k = rows.start[i]; k < rows.start[i + 1]; ++k)
      sum += rows.values[k] * x[rows.columns[k]];
    y[i] = sum;
  }
  return y;
}

} // namespace

EigenvalueSample sample_largest_eigenvalue(const BlockView &matrix) {
  const SampledRows rows = sample_rows(matrix);
  const std::int64_t n = rows.num_rows();
  const int steps = static_cast<int>(std::min<std::int64_t>(most_steps, n));
  Eigen::MatrixXd basis(n, steps + 1);
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(steps + 1, steps);
  const std::vector<double> start = start_vector(n, 1);
  basis.col(0) = Eigen::Map<const Eigen::VectorXd>(start.data(), n);
  basis.col(0).normalize();
  int made = 0;
  while (made < steps) {
    Eigen::VectorXd next = product(rows, basis.col(made));
    for (int k = 0; k <= made; ++k) {
      h(k, made) = basis.col(k).dot(next);
      next -= h(k, made) * basis.col(k);
    }
    h(made + 1, made) = next.norm();
    ++made;
    if (!(h(made, made - 1) > 1e-10)) // an invariant space
      break;
    basis.col(made) = next / h(made, made - 1);
  }
  EigenvalueSample sample;
  const Eigen::MatrixXd square = h.topLeftCorner(made, made);
  if (made > 0 && square.allFinite())
    sample.largest = square.eigenvalues().cwiseAbs().maxCoeff();
  sample.of_row_sums = std::min(1., sample.largest / rows.mean_row_sum);
  return sample;
}

} // namespace weft
