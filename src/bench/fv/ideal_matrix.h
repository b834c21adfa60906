// "Ideal" matrices: all the irregularity of a mesh inside blocks, nothing outside of them.
#pragma once

#include <cstdint>

#include "linalg/ellpack_matrix.h"

namespace weft {

// A matrix of num_rows rows of four entries each, in blocks of `block_rows` consecutive rows (the
// last may be smaller), as in the study of Langguth, Wu, Chai and Cai (2013): each entry is a
// random other row of the same block, so that the block size alone says how irregular its reads
// are. Values lie between 0 and 1/4, so that x + A x stays in the range of x. In a block of one row
// the entries are empty slots. The same in every run, on any number of threads.
EllpackMatrix make_ideal_matrix(std::int64_t num_rows, std::int64_t block_rows);

} // namespace weft
