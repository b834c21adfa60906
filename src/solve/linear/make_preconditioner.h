// The preconditioner that settings name.
#pragma once

#include "solve/preconditioner.h"

namespace weft {

// `kernels` must outlive the preconditioner.
std::unique_ptr<Preconditioner> make_preconditioner(VectorKernels &kernels,
                                                    const SolverSettings &settings);

} // namespace weft
