// Vectors that look random and are the same on every run.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

// `size` values in [-1, 1], by the splitmix64 generator (Steele, Lea and Flood 2014,
// DOI 10.1145/2660193.2660195); another vector for each `seed`.
std::vector<double> start_vector(std::int64_t size, std::uint64_t seed);

} // namespace weft
