// Restarted GMRES, right-preconditioned (so that its residual is the true one).
#pragma once

#include <Eigen/Dense>

#include "solve/krylov/krylov.h"

namespace weft {

// For any regular A. One run is one cycle of at most `restart` iterations. Flexible where M varies
// (Saad 1993, DOI 10.1137/0914028): the preconditioned vectors are kept beside the basis.
class GmresMethod : public KrylovMethod {
public:
  // The kernels must have restart + 2 sums.
  GmresMethod(VectorKernels &kernels, int restart);
  CycleResult run(LinearOperator &op, Preconditioner &precond, Vector &x, Vector &r,
                  const CycleGoal &goal) override;

  // Hessenberg matrix of the last run, [iterations + 1, iterations]: A M^-1 V_m = V_(m+1) H.
  Eigen::MatrixXd hessenberg() const { return h_.topLeftCorner(used_ + 1, used_); }

private:
  struct LeastSquares;

  void orthogonalise(Vector &w, int column);
  void normalise(Vector &w, int column, int entry);
  void reserve_vectors(std::vector<Buffer> &blocks, int num_vectors, const char *purpose);
  void keep_preconditioned(const Vector &z, int column);
  bool take_column(LeastSquares &problem, const std::vector<double> &values, int column);
  void add_correction(Preconditioner &precond, Vector &x, Vector &scratch,
                      const Eigen::VectorXd &y);
  int stride() const { return restart_ + 1; } // entries between columns

  VectorKernels &kernels_;
  int restart_;
  Vector t_, z_;                       // z only where M is not I
  std::vector<Buffer> basis_;          // blocks of [basis_block, size], made as they are needed
  std::vector<Buffer> preconditioned_; // M^-1 V where M varies, likewise
  Buffer columns_;      // [restart, restart + 1]: h_0 ... h_j, then the square of h_(j+1)
  Buffer coefficients_; // [restart + 1]
  Eigen::MatrixXd h_;
  int used_ = 0;
};

} // namespace weft
