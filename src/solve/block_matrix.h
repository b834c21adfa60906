// A sparse matrix of small dense blocks of one size on the host, as multigrid's set-up works on it.
#pragma once

#include <cstdint>
#include <vector>

#include "op/sparse_matrix.h"

namespace weft {

// Compressed rows of blocks of height x width entries. The scalar rows of a block row follow one
// another, and in each the entries of its blocks: the order of a HostMatrix whose unknowns are
// numbered component-fastest, so that such a matrix is seen without a copy of its values.
struct BlockView {
  std::int64_t num_rows = 0; // of blocks
  int height = 1, width = 1;
  const std::int32_t *start = nullptr;   // [row + 1], of blocks
  const std::int32_t *columns = nullptr; // [block], of blocks
  const double *values = nullptr;

  // The entries of scalar row `r` of block row `row`; block k's begin at k * width.
  const double *entries(std::int64_t row, int r) const {
    return values +
           (std::int64_t{start[row]} * height + std::int64_t{r} * (start[row + 1] - start[row])) *
               width;
  }
};

struct BlockMatrix {
  int height = 1, width = 1;
  std::vector<std::int32_t> start, columns; // as in BlockView; columns ascending in each row
  std::vector<double> values;

  BlockView view() const {
    return {.num_rows = static_cast<std::int64_t>(start.size()) - 1,
            .height = height,
            .width = width,
            .start = start.data(),
            .columns = columns.data(),
            .values = values.data()};
  }
};

// Rows of blocks that threads make chunk by chunk, before their number of blocks is known.
class BlockRows {
public:
  // Apart from each other in memory: threads change neighbouring ones at the same time.
  struct alignas(128) Chunk {
    std::vector<std::int32_t> lengths, columns; // [row], [block]
    std::vector<double> values;
    // One more row, of so many blocks: the last ones of `columns`; the entries are returned.
    double *append(std::size_t blocks, int block_size) {
      lengths.push_back(static_cast<std::int32_t>(blocks));
      columns.resize(columns.size() + blocks);
      values.resize(values.size() + blocks * block_size);
      return values.data() + values.size() - blocks * block_size;
    }
  };
  BlockRows(std::int64_t num_rows, std::int64_t chunk, int height, int width);
  // Of the rows from `begin` on, a multiple of the chunk.
  Chunk &chunk_of(std::int64_t begin) { return chunks_[begin / chunk_]; }
  // All rows in their order; on all host threads. Throws `unsupported` for 2^31 entries or more.
  BlockMatrix join();

private:
  std::int64_t num_rows_, chunk_;
  int height_, width_;
  std::vector<Chunk> chunks_;
};

// The same matrix row by row; on all host threads.
HostMatrix host_matrix(BlockMatrix blocks);

// Columns and starts of the blocks of a matrix whose unknowns come in nodes of `components` each
// and whose nodes are coupled by whole blocks. Throws an invariant error where they are not.
struct BlockGraph {
  std::vector<std::int32_t> start, columns;
};
BlockGraph make_block_graph(const std::int32_t *row_start, const std::int32_t *columns,
                            std::int64_t num_rows, int components);

} // namespace weft
