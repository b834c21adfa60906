// Which entries of an assembled matrix may differ from zero: rows and columns of dofs that have a
// cell in common, or cells that meet on a facet over which the form has an integral.
#pragma once

#include "linalg/csr_pattern.h"
#include "op/problem/discretisation.h"

namespace weft {

// Rows are dofs; prescribed ones have their entries too, so that the pattern is that of the mesh
// and the fields alone. On all host threads.
CsrPattern make_csr_pattern(const Discretisation &d);
// The same of nodes in place of dofs, those of one field after those of another. All: among ranks
// the first one gets that of the whole mesh, rank by rank, others none.
CsrPattern make_node_pattern(const Discretisation &d);

} // namespace weft
