// What makes the text of kernels, as a hash: results of tuning hold only for the text they were
// found with.
#pragma once

#include <string>

namespace weft {

// Hash of the kernel files, the dialects, and what is printed for some fixed integrals by every
// strategy. Computed once a process, in some milliseconds.
std::string kernel_generator();

} // namespace weft
