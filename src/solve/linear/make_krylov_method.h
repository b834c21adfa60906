// The Krylov method that settings name.
#pragma once

#include "solve/krylov/krylov.h"

namespace weft {

// `kernels` must outlive the method.
std::unique_ptr<KrylovMethod> make_krylov_method(VectorKernels &kernels, KrylovKind kind,
                                                 const SolverSettings &settings);

} // namespace weft
