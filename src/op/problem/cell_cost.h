// How much work the kernels of a form have with a cell.
#pragma once

#include "case/case.h"
#include "mesh/cell_type.h"

namespace weft {

// Up to a factor that all cells share, above 0; for sharing cells out.
double cell_cost(const FormSpec &form, CellType cell);

} // namespace weft
