// The largest eigenvalue of an operator that is scaled by its diagonal.
#pragma once

#include "solve/preconditioner.h"

namespace weft {

inline constexpr int num_lanczos_steps = 12;

// The largest eigenvalue in modulus of D^-1 A from num_lanczos_steps Lanczos steps (by way of CG)
// where A is symmetric, of Arnoldi (by way of GMRES) else, from a fixed start vector. From below,
// as a rule within some percent. `jacobi` holds D^-1.
double estimate_largest_eigenvalue(LinearOperator &op, VectorKernels &kernels,
                                   PrecondJacobi &jacobi);

} // namespace weft
