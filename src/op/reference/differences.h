// Sums of differences by plain loops: what the diffusion kernels of finite volumes are checked
// against.
#pragma once

#include "linalg/ellpack_matrix.h"

namespace weft::reference {

// [row]: see EllpackMatrix; x: [column].
std::vector<double> differences(const EllpackMatrix &matrix, const std::vector<double> &x);

} // namespace weft::reference
