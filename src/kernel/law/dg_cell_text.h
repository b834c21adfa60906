// How a lane group of cells is loaded, and a node, as functions of kernel text.
#pragma once

#include <string>

#include "kernel/law/dg_kernel.h"
#include "kernel/law/law_arguments.h"

namespace weft {

// weft_load_cell() of kernels/dg/cell.kernel. `by_symmetry`: metrics go along axes of symmetry.
std::string print_load_cell(const DgKernelSpec &spec, const LawArguments &arguments,
                            bool by_symmetry);

// weft_load_place() of kernels/dg/node.kernel.
std::string print_load_place(const LawArguments &arguments);

} // namespace weft
