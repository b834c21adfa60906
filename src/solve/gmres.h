// Restarted GMRES, right-preconditioned (so that its residual is the true one).
#pragma once

#include <Eigen/Dense>

#include "solve/krylov.h"

namespace weft {

// For any regular A. One run is one cycle of at most `restart` iterations.
class GmresMethod : public KrylovMethod {
public:
  // The kernels must have restart + 2 sums.
  GmresMethod(VectorKernels &kernels, int restart);
  CycleResult run(LinearOperator &op, Preconditioner &precond, Vector &x, Vector &r,
                  const CycleGoal &goal) override;

  // Of the last run, [iterations + 1, iterations]: A M^-1 V_m = V_(m+1) H.
  Eigen::MatrixXd hessenberg() const { return h_.topLeftCorner(used_ + 1, used_); }

private:
  struct LeastSquares;

  void orthogonalise(Vector &w, int column);
  void normalise(Vector &w, int column, int entry);
  void reserve_basis(int num_vectors);
  bool take_column(LeastSquares &problem, const std::vector<double> &values, int column);
  void add_correction(Preconditioner &precond, Vector &x, Vector &scratch,
                      const Eigen::VectorXd &y);
  int stride() const { return restart_ + 1; } // entries between columns

  VectorKernels &kernels_;
  int restart_;
  Vector t_, z_;              // z only where M is not I
  std::vector<Buffer> basis_; // blocks of [basis_block, size], made as they are needed
  Buffer columns_;            // [restart, restart + 1]: h_0 ... h_j, then the square of h_(j+1)
  Buffer coefficients_;       // [restart + 1]
  Eigen::MatrixXd h_;
  int used_ = 0;
};

} // namespace weft
