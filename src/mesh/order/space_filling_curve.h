// The order of points along Hilbert's curve.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

// Points [point, dim] by their places on Hilbert's curve through the square or cube that holds them
// all, of 2^31 steps a direction in 2D and 2^21 in 3D (transposed index of Skilling 2004, DOI
// 10.1063/1.1751381); points at the same step by their numbers. Result: [place] the point there.
std::vector<std::int32_t> hilbert_order(std::span<const double> points, int dim);

} // namespace weft
