// The Chebyshev iteration for D^-1 A, as coefficients (Saad, Iterative Methods for Sparse Linear
// Systems, 2nd edition, algorithm 12.1, DOI 10.1137/1.9780898718003).
#pragma once

#include <vector>

#include "linalg/levels/level_operator.h"

namespace weft {

// Estimates of the largest eigenvalue come from below: by how much intervals go beyond them.
inline constexpr double eigenvalue_safety = 1.1;

// Steps of the polynomial of `terms` terms, 1 or more, that reduces most what lies in
// [lower, upper], of eigenvalues of D^-1 A. The first one does not read w; what the last one leaves
// in w nobody reads.
std::vector<SmootherStep> chebyshev_steps(double lower, double upper, int terms);

} // namespace weft
