// A matrix of differences as the kernels of kernels/fv read it, on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/ellpack_matrix.h"

namespace weft {

// Rows are cut into slices of `slice` rows; rows of the last one that there are not have the value
// 0 and read the slice's first row. In each row slots are in ascending order of their index, which
// is the order of the sum: slot j of a slice's rows then reads one neighbourhood of x.
// The same whatever the number of threads.

// [slice][slot][row]
std::vector<double> fv_values(const EllpackMatrix &matrix, int slice);

// Arrays of kernels/fv/fv_diffusion.kernel.
struct FvIndices {
  std::vector<std::int32_t> slices;   // 16 bits only: [slice][slot + 1]
  std::vector<std::uint16_t> index16; // [slice][slot][row] of narrow slices
  std::vector<std::int32_t> index32;  // of the others
};
// `bits`: 32, or 16 where a slice's indices allow it.
FvIndices fv_indices(const EllpackMatrix &matrix, int slice, int bits);

// For slices from `ahead` on, the entries of x at which lines of `line_reals` reals begin that the
// slice reads and that none of the slices shortly before it has read: a processor does not foresee
// them. Slices before have none: nobody runs ahead of them.
struct FvTouched {
  std::vector<std::int32_t> start; // [slice + 1]
  std::vector<std::int32_t> lines;
};
FvTouched fv_touched(const EllpackMatrix &matrix, int slice, int ahead, int line_reals);

// Arrays of kernels/fv/fv_diffusion_block.kernel, with a whole number of slices a block.
struct FvBlocks {
  std::int64_t block_rows = 0;
  std::vector<std::int32_t> outside_start; // [block + 1]
  std::vector<std::int32_t> outside;       // entries of x, ascending in each block, each once
  std::vector<std::uint16_t> index;        // [slice][slot][row]: into the stage
  std::int64_t most_outside = 0;           // of a block
  std::int64_t num_blocks() const { return static_cast<std::int64_t>(outside_start.size()) - 1; }
};
// Entries that blocks of so many rows read of others, each once a block, over the rows.
double fv_outside_fraction(const EllpackMatrix &matrix, std::int64_t block_rows);
// Places past 65535 are errors (unsupported), with what would fit.
FvBlocks fv_blocks(const EllpackMatrix &matrix, int slice, std::int64_t block_rows);

} // namespace weft
