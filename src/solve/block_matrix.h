// A sparse matrix of small dense blocks of one size on the host, as multigrid's set-up works on it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/host_array.h"
#include "base/parallel.h"
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

// Rows of blocks that threads make chunk by chunk, before their number of blocks is known.
class BlockRows {
public:
  // Rows while they are made: a thread's own, for one chunk after another.
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
  // A row as it is kept.
  struct Row {
    std::int32_t length;
    const std::int32_t *columns;
    const double *values;
  };

  BlockRows(std::int64_t num_rows, std::int64_t chunk, int height, int width);
  // Makes all rows, on all host threads, each of which calls append(row, chunk) of what
  // make_appender() gives it.
  template <typename MakeAppender> void fill(const MakeAppender &make_appender);
  Row row(std::int64_t row) const {
    const Kept &kept = kept_[row / chunk_];
    const std::int32_t *start = &start_[row + row / chunk_];
    return {start[1] - start[0], kept.columns + start[0],
            kept.values + std::int64_t{start[0]} * height_ * width_};
  }
  // All rows in their order; on all host threads. Throws `unsupported` for 2^31 entries or more.
  BlockMatrix join() const;

private:
  struct Kept {
    std::int64_t num_blocks = 0;
    std::int32_t *columns = nullptr;
    double *values = nullptr;
  };
  // Memory of one thread, given out in pieces. Apart from that of others.
  template <typename T> struct Pieces {
    std::vector<HostArray<T>> slabs;
    std::size_t used = 0; // of the last one
    T *take(std::size_t count);
  };
  struct alignas(128) Memory {
    Pieces<std::int32_t> columns;
    Pieces<double> values;
  };
  void keep(std::int64_t begin, Chunk &chunk, Memory &memory);

  std::int64_t num_rows_, chunk_;
  int height_, width_;
  std::vector<Kept> kept_;        // [chunk]
  HostArray<std::int32_t> start_; // [row + chunk + 1]: of a row in its chunk, and the chunk's end
  std::vector<Memory> memory_;    // [thread]
};

template <typename MakeAppender> void BlockRows::fill(const MakeAppender &make_appender) {
  using Appender = decltype(make_appender());
  struct Worker {
    Appender append;
    Chunk chunk;
  };
  std::vector<std::unique_ptr<Worker>> workers(memory_.size());
  parallel_chunks(num_rows_, chunk_, [&](std::int64_t begin, std::int64_t end, int thread) {
    if (!workers[thread])
      workers[thread] = std::make_unique<Worker>(Worker{make_appender(), {}});
    Worker &worker = *workers[thread];
    for (std::int64_t row = begin; row < end; ++row)
      worker.append(row, worker.chunk);
    keep(begin, worker.chunk, memory_[thread]);
  });
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
