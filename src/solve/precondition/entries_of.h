// The entries of an operator's matrix, for preconditioners that work with them on the host.
#pragma once

#include <memory>
#include <string>

#include "linalg/sparse_matrix.h"

namespace weft {

// The matrix's own values, in the order of its pattern; no copy where the host sees them. `who`:
// "the preconditioner hypre". Errors: unsupported where the operator has no matrix; numerical where
// an entry is not finite, saying which.
std::shared_ptr<const double[]> finite_values_of(const LinearOperator &op, const std::string &who);

// The same with the pattern, as a copy.
HostMatrix finite_entries_of(const LinearOperator &op, const std::string &who);

} // namespace weft
