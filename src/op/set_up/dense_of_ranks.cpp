#include "op/set_up/dense_of_ranks.h"

#include <algorithm>

#include <Eigen/Dense>

namespace weft {

namespace {

// Upper triangle of QR, of as many rows as columns; zeros where there are fewer rows.
Eigen::MatrixXd triangle_of(const Eigen::MatrixXd &matrix) {
  const Eigen::Index columns = matrix.cols(), rows = std::min(matrix.rows(), columns);
  Eigen::MatrixXd triangle = Eigen::MatrixXd::Zero(columns, columns);
  if (rows > 0)
    triangle.topRows(rows) = Eigen::HouseholderQR<Eigen::MatrixXd>(matrix)
                                 .matrixQR()
                                 .topRows(rows)
                                 .triangularView<Eigen::Upper>();
  return triangle;
}

// Matrices of all ranks, of one size.
std::vector<Eigen::MatrixXd> gathered_matrices(Communicator &ranks, const Eigen::MatrixXd &own) {
  std::vector<Eigen::MatrixXd> all;
  for (const std::vector<double> &values :
       gathered(&ranks, std::vector<double>(own.data(), own.data() + own.size())))
    all.emplace_back(Eigen::Map<const Eigen::MatrixXd>(values.data(), own.rows(), own.cols()));
  return all;
}

std::vector<Eigen::Index> pivots_of(const Eigen::MatrixXd &matrix) {
  std::vector<Eigen::Index> pivots;
  if (matrix.cols() == 0)
    return pivots;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix);
  for (Eigen::Index i = 0; i < std::min(matrix.rows(), matrix.cols()); ++i)
    pivots.push_back(qr.colsPermutation().indices()[i]);
  return pivots;
}

} // namespace

Eigen::MatrixXd sum_over(Communicator *ranks, const Eigen::MatrixXd &matrix) {
  const std::vector<double> values =
      sum(ranks, std::vector<double>(matrix.data(), matrix.data() + matrix.size()));
  return Eigen::Map<const Eigen::MatrixXd>(values.data(), matrix.rows(), matrix.cols());
}

double largest_of(Communicator *ranks, const Eigen::VectorXd &vector) {
  return largest(ranks, vector.size() > 0 ? vector.cwiseAbs().maxCoeff() : 0.0);
}

Eigen::VectorXd largest_of_columns(Communicator *ranks, const Eigen::MatrixXd &matrix) {
  Eigen::VectorXd result(matrix.cols());
  for (Eigen::Index c = 0; c < matrix.cols(); ++c)
    result[c] = largest_of(ranks, matrix.col(c));
  return result;
}

Eigen::MatrixXd triangle_over(Communicator *ranks, const Eigen::MatrixXd &matrix) {
  const Eigen::MatrixXd own = triangle_of(matrix);
  if (!ranks)
    return own;
  const Eigen::Index columns = matrix.cols();
  Eigen::MatrixXd all(columns * ranks->size(), columns);
  const std::vector<Eigen::MatrixXd> triangles = gathered_matrices(*ranks, own);
  for (std::size_t r = 0; r < triangles.size(); ++r)
    all.middleRows(static_cast<Eigen::Index>(r) * columns, columns) = triangles[r];
  return triangle_of(all);
}

Eigen::VectorXd least_squares(Communicator *ranks, const Eigen::MatrixXd &matrix,
                              const Eigen::VectorXd &b) {
  if (!ranks)
    return matrix.colPivHouseholderQr().solve(b);
  const Eigen::Index columns = matrix.cols();
  Eigen::MatrixXd both(matrix.rows(), columns + 1);
  both << matrix, b;
  const Eigen::MatrixXd triangle = triangle_over(ranks, both);
  return triangle.topLeftCorner(columns, columns)
      .colPivHouseholderQr()
      .solve(Eigen::VectorXd(triangle.col(columns).head(columns)));
}

std::vector<Eigen::Index> independent_columns(Communicator *ranks, const Eigen::MatrixXd &matrix) {
  std::vector<Eigen::Index> picked = pivots_of(matrix);
  if (!ranks)
    return picked;
  const Eigen::Index rows = matrix.rows();
  Eigen::MatrixXd own = Eigen::MatrixXd::Zero(rows, rows);
  for (std::size_t i = 0; i < picked.size(); ++i)
    own.col(static_cast<Eigen::Index>(i)) = matrix.col(picked[i]);
  Eigen::MatrixXd all(rows, rows * ranks->size());
  const std::vector<Eigen::MatrixXd> candidates = gathered_matrices(*ranks, own);
  for (std::size_t r = 0; r < candidates.size(); ++r)
    all.middleCols(static_cast<Eigen::Index>(r) * rows, rows) = candidates[r];
  std::vector<Eigen::Index> kept;
  for (const Eigen::Index column : pivots_of(all))
    if (column / rows == ranks->rank())
      kept.push_back(picked.at(static_cast<std::size_t>(column % rows)));
  return kept;
}

} // namespace weft
