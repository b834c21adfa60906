// The text files that come with Weft (kernels, physics), carried inside the binary.
#pragma once

#include <string>
#include <vector>

namespace weft {

// The text of "kernels/dialect/opencl.h" or "physics/heat.toml". While developing, WEFT_KERNEL_DIR
// and WEFT_PHYSICS_DIR name directories that are read in place of the embedded kernels/ and
// physics/. Throws `invariant` when there is no such file; ask embedded_names() first where the
// name comes from a user.
std::string embedded_text(const std::string &path);

// Sorted paths that begin with `prefix`: embedded_names("physics/").
std::vector<std::string> embedded_names(const std::string &prefix);

} // namespace weft
