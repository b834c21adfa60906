// Orthonormal polynomials on the unit interval, triangle and tetrahedron.
#pragma once

#include <span>
#include <vector>

namespace weft {

// Polynomials of total degree `order` or less on the unit simplex of `dim` dimensions (Proriol;
// Koornwinder; Dubiner 1991, doi:10.1007/BF01060030): with n_d the degree along axis d, the product
// over d of P_{n_d}^{(2 (n_0 + ... + n_{d-1}) + d, 0)} in collapsed coordinates, in recurrences
// that know no singularity (Kirby 2010, doi:10.1145/1644001.1644006).
// points: [point, dim]; values: [point, mode]; gradients: [point, mode, dim].
void simplex_modes(int dim, int order, std::span<const double> points, std::vector<double> &values,
                   std::vector<double> &gradients);

} // namespace weft
