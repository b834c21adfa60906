// The entries of an operator's matrix, for preconditioners that work with them on the host.
#pragma once

#include <string>

#include "linalg/sparse_matrix.h"

namespace weft {

// `who`: "the preconditioner hypre". Errors: unsupported where the operator has no matrix;
// numerical where an entry is not finite, saying which.
HostMatrix finite_entries_of(const LinearOperator &op, const std::string &who);

} // namespace weft
