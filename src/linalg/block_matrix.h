// A sparse matrix of small dense blocks of one size on the host, as multigrid's set-up works on it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "base/host_array.h"
#include "base/parallel.h"
#include "linalg/sparse_matrix.h"

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
  HostArray<std::int32_t> start, columns; // as in BlockView; columns ascending in each row
  HostArray<double> values;

  BlockView view() const {
    return {.num_rows = static_cast<std::int64_t>(start.size()) - 1,
            .height = height,
            .width = width,
            .start = start.data(),
            .columns = columns.data(),
            .values = values.data()};
  }
};

// A matrix whose rows threads make chunk by chunk, before their number of blocks is known.
class BlockRows {
public:
  // Rows while they are made.
  struct Chunk {
    std::vector<std::int32_t> lengths; // [row]
    HostArray<std::int32_t> columns;   // [block]
    HostArray<double> values;
    std::size_t num_blocks = 0;
    // One more row, of so many blocks, whose columns and entries are at the pointers returned.
    struct Row {
      std::int32_t *columns;
      double *values;
    };
    Row append(std::size_t blocks, int block_size);
  };

  // `expected`: blocks in all; for more, those that are there are copied.
  BlockRows(std::int64_t num_rows, std::int64_t chunk, int height, int width,
            std::int64_t expected);
  // Makes all rows, on all host threads, each of which calls append(row, chunk) of what
  // make_appender() gives it. Once. Throws `unsupported` for 2^31 entries or more.
  template <typename MakeAppender> BlockMatrix fill(const MakeAppender &make_appender);

private:
  // Copies a chunk into the matrix as soon as the place of its first block is known, which those
  // before it decide. Returns one to be filled.
  Chunk place(std::int64_t first_row, Chunk chunk);
  void copy(std::int64_t first_row, std::int64_t first_block, const Chunk &chunk);
  void make_room();

  std::int64_t num_rows_, chunk_;
  std::mutex order_;                      // of what follows
  std::map<std::int64_t, Chunk> waiting_; // by their first rows
  std::vector<Chunk> spare_;
  std::int64_t next_row_ = 0, num_blocks_ = 0; // behind the chunks that have a place
  std::shared_mutex arrays_; // where the matrix's arrays are; locked after order_ if at all
  BlockMatrix matrix_;
};

template <typename MakeAppender> BlockMatrix BlockRows::fill(const MakeAppender &make_appender) {
  using Appender = decltype(make_appender());
  struct Worker {
    Appender append;
    Chunk chunk;
  };
  std::vector<std::unique_ptr<Worker>> workers(host_threads());
  parallel_chunks(num_rows_, chunk_, [&](std::int64_t begin, std::int64_t end, int thread) {
    if (!workers[thread])
      workers[thread] = std::make_unique<Worker>(Worker{make_appender(), {}});
    Worker &worker = *workers[thread];
    for (std::int64_t row = begin; row < end; ++row)
      worker.append(row, worker.chunk);
    worker.chunk = place(begin, std::move(worker.chunk));
  });
  matrix_.columns.resize(num_blocks_);
  matrix_.values.resize(num_blocks_ * matrix_.height * matrix_.width);
  return std::move(matrix_);
}

// The same matrix row by row; on all host threads.
HostMatrix host_matrix(BlockMatrix blocks);
// Its transpose; on all host threads.
BlockMatrix transposed(const BlockView &matrix, std::int64_t num_columns);

// Columns and starts of the blocks of a matrix whose unknowns come in nodes of `components` each
// and whose nodes are coupled by whole blocks. Throws an invariant error where they are not.
struct BlockGraph {
  std::vector<std::int32_t> start, columns;
};
BlockGraph make_block_graph(const std::int32_t *row_start, const std::int32_t *columns,
                            std::int64_t num_rows, int components);

} // namespace weft
