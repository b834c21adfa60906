#include "bench/fv/ideal_matrix.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"

namespace weft {

namespace {

// SplitMix64 (Steele, Lea and Flood 2014, DOI 10.1145/2660193.2660195): a random number of its own
// for each entry, whoever asks for it.
std::uint64_t random_of(std::uint64_t entry) {
  std::uint64_t z = (entry + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

} // namespace

EllpackMatrix make_ideal_matrix(std::int64_t num_rows, std::int64_t block_rows) {
  require(num_rows >= 0 && block_rows >= 1, "blocks have rows");
  EllpackMatrix matrix;
  matrix.num_rows = num_rows;
  matrix.width = 4;
  matrix.index.resize(num_rows * matrix.width);
  matrix.value.resize(num_rows * matrix.width);
  parallel_ranges(num_rows, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t first = row / block_rows * block_rows;
      const auto others = static_cast<std::uint64_t>(std::min(block_rows, num_rows - first) - 1);
      for (std::int64_t e = row * matrix.width; e < (row + 1) * matrix.width; ++e) {
        const std::uint64_t random = random_of(e);
        const auto other = static_cast<std::int64_t>((random >> 32) * others >> 32);
        const std::int64_t column = first + other + (first + other >= row);
        matrix.index[e] = static_cast<std::int32_t>(others > 0 ? column : row);
        matrix.value[e] =
            others > 0 ? 0.25 * static_cast<double>(random & 0xffffff) / 0x1000000 : 0;
      }
    }
  });
  return matrix;
}

} // namespace weft
