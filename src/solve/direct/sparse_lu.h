// Eigen's sparse LU decomposition: what there is where no module of a direct solver is.
#pragma once

#include <Eigen/SparseLU>

#include "solve/direct/direct_solver.h"

namespace weft {

class SparseLu : public DirectSolver {
public:
  explicit SparseLu(const HostMatrix &matrix);

  std::string library() const override { return "Eigen's SparseLU"; }
  void factorise(const HostMatrix &matrix) override;
  void solve(double *x) override;
  double factor_entries() const override;

private:
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;
  Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<std::int32_t>> lu_;
};

} // namespace weft
