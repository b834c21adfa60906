#include "solve/direct/sparse_lu.h"

#include "base/error.h"

namespace weft {

namespace {

using RowMatrix = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>>;

RowMatrix view(const HostMatrix &matrix) {
  return {matrix.num_rows(),       matrix.num_rows(),     matrix.row_start[matrix.num_rows()],
          matrix.row_start.data(), matrix.columns.data(), matrix.values.data()};
}

} // namespace

SparseLu::SparseLu(const HostMatrix &matrix) {
  lu_.analyzePattern(Matrix(view(matrix)));
}

void SparseLu::factorise(const HostMatrix &matrix) {
  lu_.factorize(Matrix(view(matrix)));
  if (lu_.info() != Eigen::Success)
    throw Error(ErrorKind::numerical,
                {.what = "Eigen's SparseLU could not factorise the matrix",
                 .found = lu_.lastErrorMessage(),
                 .remedy = "where the matrix is singular, look for a field that nothing fixes (a "
                           "pressure, a motion of a part); else install the package "
                           "libmumps-seq-dev and build Weft again, or choose an iterative method, "
                           "such as method = \"gmres\", in [solver]"});
}

void SparseLu::solve(double *x) {
  Eigen::Map<Eigen::VectorXd> values(x, lu_.rows());
  values = lu_.solve(values).eval();
}

double SparseLu::factor_entries() const {
  return static_cast<double>(lu_.nnzL()) + static_cast<double>(lu_.nnzU());
}

} // namespace weft
