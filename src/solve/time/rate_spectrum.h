// The eigenvalues of a rate that limit explicit steps.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "linalg/operator.h"

namespace weft {

// Those of the largest size of dL/dq at `q`, as Ritz values: Arnoldi's method (Saad 2011,
// "Numerical Methods for Large Eigenvalue Problems", chapter 6, DOI 10.1137/1.9781611970739), begun
// with a vector that applications before it have turned towards them. dL/dq is taken by differences
// of L; fields are scaled by their largest values. One over a unit of time.
// Takes some 30 evaluations of L and as many dot products of two states, and keeps 20 states.
// Empty where L is not finite near q, or does not depend on it.
// `field_offset`: first dof of each field.
std::vector<std::complex<double>> rate_spectrum(ExplicitOperator &op, double time, const Vector &q,
                                                const std::vector<std::int64_t> &field_offset);

} // namespace weft
