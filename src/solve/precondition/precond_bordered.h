// A preconditioner for a matrix that a few full rows and columns border.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "solve/precondition/leading_block.h"
#include "solve/preconditioner.h"

namespace weft {

// Of [[A, B], [C, D]] with a small D, by a preconditioner M of A:
//   y = S^-1 s,  x = M^-1 (r - B y),  S = D - C M^-1 B,
// the inverse of [[M, B], [0, S]]. With M = A the product with the matrix has no eigenvalue but 1,
// and GMRES ends in two iterations (Murphy, Golub, Wathen 2000, DOI 10.1137/S1064827599355153). A
// may be singular where the border makes the whole regular, M not.
class PrecondBordered : public Preconditioner {
public:
  // Makes M of kernels for vectors of the size of A, which live longer than M.
  using MakeInner = std::function<std::unique_ptr<Preconditioner>(VectorKernels &kernels)>;

  // `num_border`: size of D. `parts`: files of kernels/vector that M launches from.
  PrecondBordered(VectorKernels &kernels, std::int64_t num_border,
                  const std::set<std::string> &parts, const MakeInner &make_inner);

  // Error (numerical): S is singular, so that the matrix is, too, or M far from A.
  void update(LinearOperator &op) override;
  bool keeps_setup() const override { return inner_->keeps_setup(); }
  int most_iterations_kept() const override { return inner_->most_iterations_kept(); }
  bool holds_setup() const override { return inner_->holds_setup(); }
  void forget() override { inner_->forget(); }
  void meanwhile(const std::function<void()> &work) override { inner_->meanwhile(work); }
  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;
  bool varies() const override { return inner_->varies(); }
  std::optional<Precision> low_precision() const override { return inner_->low_precision(); }
  std::vector<LevelSummary> levels() const override { return inner_->levels(); }

private:
  std::vector<double> border_of(const Vector &whole);
  void set_border(const std::vector<double> &values, Vector &whole);
  void take_leading(const Vector &from, Vector &to);
  void eliminate(LinearOperator &op);

  VectorKernels &kernels_;
  std::int64_t num_border_;
  VectorKernels leading_kernels_;
  std::unique_ptr<Preconditioner> inner_; // M
  std::unique_ptr<LeadingBlock> leading_; // A, of the last set-up
  std::vector<Vector> columns_;           // of B
  Eigen::MatrixXd inverse_;               // of S
  Vector r_, z_, scratch_;                // of A's size
  Buffer border_;                         // reals on their way to a vector
};

} // namespace weft
