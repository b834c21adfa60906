// The assembled matrix by plain loops: what assembly on devices is checked against.
#pragma once

#include "linalg/csr_pattern.h"
#include "linalg/sparse_matrix.h"
#include "op/problem/discretisation.h"

namespace weft::reference {

// F'(u), constrained rows and columns those of the identity; the pattern of make_csr_pattern().
HostMatrix matrix(const Discretisation &d, const std::vector<double> &u);

} // namespace weft::reference
