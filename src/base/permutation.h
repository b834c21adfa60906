// Permutations of numbers from 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

// [order[p]] = p.
std::vector<std::int32_t> inverse_permutation(std::span<const std::int32_t> order);

} // namespace weft
