// Arguments of kernels of element matrices, how they read a cell, and where entries go.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel/cell/argument_list.h"
#include "kernel/cell/cell_arguments.h"
#include "kernel/cell/cell_integral.h"
#include "kernel/matrix/matrix_kernel.h"

namespace weft {

// weft_load_cell, and the kernel files that say where entries go: kernels/fem/matrix_target_*.
// `local_tables`: as in MatrixFunctions.
CellArguments print_matrix_arguments(const CellIntegral &integral, const MatrixVariant &variant,
                                     const std::vector<std::pair<std::string, int>> &local_tables);

} // namespace weft
