// Vectors that look random and are the same on every run.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

// The value in [-1, 1] at a place, by the splitmix64 generator (Steele, Lea and Flood 2014,
// DOI 10.1145/2660193.2660195); others for each `seed`.
double random_value(std::uint64_t seed, std::uint64_t place);
// Those at the first `size` places.
std::vector<double> start_vector(std::int64_t size, std::uint64_t seed);

} // namespace weft
