// What makes the text of discontinuous Galerkin kernels, as a hash.
#pragma once

#include <string>

namespace weft {

// Hash of the kernel files, the dialects, and what is printed for a fixed law; as
// kernel_generator().
std::string dg_generator();

} // namespace weft
