// Reference matrices and constants of the limiter, see kernels/dg/dg_limit.kernel.
#pragma once

#include <vector>

#include "space/nodal_operators.h"

namespace weft {

struct DgLimiterMatrices {
  std::vector<double> weights;    // [node]: integrals over the reference cell
  std::vector<double> mass;       // [i, j]: v^T mass v is the energy of a polynomial
  std::vector<double> high_modes; // [i, j]: that of its part orthogonal to those of one order less
  std::vector<double> linear;     // [i, j]: values at the nodes of the projection to order 1
  // [i, j]: values at the Gauss-Lobatto points, which are at vertices and on facets; empty where
  // they are the nodes.
  std::vector<double> lobatto;
};
DgLimiterMatrices dg_limiter_matrices(const NodalOperators &operators);

// Fraction of the highest modes in the energy above which a cell is limited. A jump's modes fall
// with the square of their number, so that of order p holds about p^-4 of it.
double dg_smooth_fraction(int order);

// What is left of a positive quantity of a cell's mean at the least.
inline constexpr double dg_least_fraction = 1e-6;

} // namespace weft
