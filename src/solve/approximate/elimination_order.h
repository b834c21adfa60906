// The order in which incomplete factors eliminate unknowns.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/sparse_matrix.h"

namespace weft {

// Reverse Cuthill-McKee of the graph of the matrix and its transpose; entries that are 0 connect
// nothing. Result: [place] the unknown there.
std::vector<std::int32_t> elimination_order(const HostMatrix &matrix);

} // namespace weft
