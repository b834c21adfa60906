#include "linalg/ellpack_matrix.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/permutation.h"

namespace weft {

EllpackMatrix reordered(const EllpackMatrix &matrix, std::span<const std::int32_t> cells) {
  require(static_cast<std::int64_t>(cells.size()) == matrix.num_rows, "an order has every row");
  const std::vector<std::int32_t> place = inverse_permutation(cells);
  EllpackMatrix result{.num_rows = matrix.num_rows,
                       .num_ghosts = matrix.num_ghosts,
                       .width = matrix.width,
                       .index = std::vector<std::int32_t>(matrix.index.size()),
                       .value = std::vector<double>(matrix.value.size())};
  parallel_ranges(matrix.num_rows, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row)
      for (int s = 0; s < matrix.width; ++s) {
        const std::int64_t from = std::int64_t(cells[row]) * matrix.width + s;
        const std::int32_t index = matrix.index[from];
        result.index[row * matrix.width + s] = index < matrix.num_rows ? place[index] : index;
        result.value[row * matrix.width + s] = matrix.value[from];
      }
  });
  return result;
}

} // namespace weft
