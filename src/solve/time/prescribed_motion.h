// Time derivatives of prescribed values, which schemes need that solve for time derivatives.
#pragma once

#include <array>
#include <functional>

#include "linalg/operator.h"
#include "linalg/vector_kernels.h"

namespace weft {

// Of the polynomial of degree 4 through the prescribed values at five times of a step, both ends
// among them, so that none outside of the step are asked for: errors of O(h^4) in the first
// derivative, of O(h^3) in the second.
class PrescribedMotion {
public:
  // `moves`: the values depend on time; else all derivatives are 0, and nothing is looked at.
  // References must outlive it.
  PrescribedMotion(NonlinearOperator &op, VectorKernels &kernels,
                   const std::function<void(double time)> &move_to, bool moves);

  bool moves() const { return moves_; }
  // Looks at the step; leaves the operator at its end.
  void sample(double begin, double length);
  // out: the derivative (0: the value) at begin + fraction * length where values are prescribed, 0
  // elsewhere.
  void derivative(int order, double fraction, Vector &out);

private:
  static constexpr int num_times = 5;

  NonlinearOperator &op_;
  VectorKernels &kernels_;
  const std::function<void(double time)> &move_to_;
  bool moves_;
  double length_ = 0;
  std::array<Vector, num_times> values_;
};

} // namespace weft
