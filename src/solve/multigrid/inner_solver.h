// Solvers that work in low precision, on a level's scaled unknowns.
#pragma once

#include <memory>

#include "linalg/levels/level_operator.h"
#include "linalg/operator.h"
#include "linalg/vector_kernels.h"
#include "solve/settings.h"

namespace weft {

// A level as a linear operator: A in its scaled unknowns.
class LevelAsOperator : public LinearOperator {
public:
  LevelAsOperator(Device &device, LevelOperator &level, bool symmetric)
      : device_(device), level_(level), symmetric_(symmetric) {}
  std::int64_t size() const override { return level_.size(); }
  VectorLayout layout() const override { return level_.layout(); }
  Precision precision() const override { return level_.precision(); }
  Device &device() override { return device_; }
  void apply(const Vector &x, Vector &y) override { level_.apply(x, y); }
  void diagonal(Vector &d) override { level_.diagonal(d); }
  bool symmetric() const override { return symmetric_; }

private:
  Device &device_;
  LevelOperator &level_;
  bool symmetric_;
};

class InnerSolver {
public:
  virtual ~InnerSolver() = default;
  // Approximates A x = b from x = 0 by that many iterations; the result stays the solver's.
  virtual const Vector &solve(const Vector &b, int iterations) = 0;
};

// The files of kernels/vector that the methods launch from, for an operator of that kind.
std::set<std::string> inner_kernel_parts(InnerKind method, bool symmetric);
// Sums that they have open at once.
int inner_kernel_sums();

// Eigenvalue of D^-1 A, from below; see precond_chebyshev.h. `kernels` has the parts of
// InnerKind::chebyshev.
double estimate_largest_eigenvalue(VectorKernels &kernels, LevelOperator &level, bool symmetric);

// `kernels`, with those parts and of the level's size and precision, and `level` must outlive the
// solver. Jacobi and Chebyshev estimate the largest eigenvalue of D^-1 A here.
std::unique_ptr<InnerSolver> make_inner_solver(InnerKind method, VectorKernels &kernels,
                                               LevelOperator &level, bool symmetric);

} // namespace weft
