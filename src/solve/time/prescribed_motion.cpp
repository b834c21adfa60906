#include "solve/time/prescribed_motion.h"

#include <cmath>
#include <vector>

namespace weft {

namespace {

// Coefficients, lowest first, of the polynomial that is 1 at i / (n - 1) and 0 at the other times.
std::vector<double> basis_polynomial(int i, int n) {
  std::vector<double> polynomial = {1};
  for (int j = 0; j < n; ++j) {
    if (j == i)
      continue;
    const double root = static_cast<double>(j) / (n - 1),
                 scale = static_cast<double>(i - j) / (n - 1);
    polynomial.push_back(0);
    for (std::size_t k = polynomial.size(); k-- > 0;)
      polynomial[k] = ((k > 0 ? polynomial[k - 1] : 0) - root * polynomial[k]) / scale;
  }
  return polynomial;
}

double derivative_at(const std::vector<double> &polynomial, int order, double x) {
  double sum = 0;
  for (int k = static_cast<int>(polynomial.size()) - 1; k >= order; --k) {
    double factor = 1;
    for (int m = 0; m < order; ++m)
      factor *= k - m;
    sum = sum * x + factor * polynomial[k];
  }
  return sum;
}

} // namespace

PrescribedMotion::PrescribedMotion(NonlinearOperator &op, VectorKernels &kernels,
                                   const std::function<void(double time)> &move_to, bool moves)
    : op_(op), kernels_(kernels), move_to_(move_to), moves_(moves) {
  if (!moves)
    return;
  for (Vector &v : values_) {
    v = kernels.vector("prescribed values");
    kernels.zero(v);
  }
}

void PrescribedMotion::sample(double begin, double length) {
  length_ = length;
  for (int i = 0; moves_ && i < num_times; ++i) {
    move_to_(begin + length * i / (num_times - 1));
    op_.set_constrained(values_[i]);
  }
}

void PrescribedMotion::derivative(int order, double fraction, Vector &out) {
  kernels_.zero(out);
  for (int i = 0; moves_ && i < num_times; ++i)
    kernels_.combine(out, 1, out,
                     derivative_at(basis_polynomial(i, num_times), order, fraction) /
                         std::pow(length_, order),
                     values_[i]);
}

} // namespace weft
