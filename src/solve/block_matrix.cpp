#include "solve/block_matrix.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/error.h"
#include "op/transposition.h"
#include "solve/block_size.h"

namespace weft {

BlockRows::Chunk::Row BlockRows::Chunk::append(std::size_t blocks, int block_size) {
  const std::size_t before = num_blocks;
  num_blocks += blocks;
  lengths.push_back(static_cast<std::int32_t>(blocks));
  if (num_blocks > columns.size()) {
    columns.resize(2 * num_blocks);
    values.resize(columns.size() * block_size);
  }
  return {columns.data() + before, values.data() + before * block_size};
}

template <typename T> T *BlockRows::Pieces<T>::take(std::size_t count) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20; // of a slab that is not filled
  if (slabs.empty() || used + count > slabs.back().size()) {
    const std::size_t twice = slabs.empty() ? 0 : 2 * slabs.back().size();
    slabs.emplace_back(std::max(count, std::min(twice, most_bytes / sizeof(T))));
    used = 0;
  }
  used += count;
  return slabs.back().data() + used - count;
}

BlockRows::BlockRows(std::int64_t num_rows, std::int64_t chunk, int height, int width)
    : num_rows_(num_rows), chunk_(chunk), height_(height), width_(width),
      kept_((num_rows + chunk - 1) / chunk), start_(num_rows + kept_.size()),
      memory_(host_threads()) {}

void BlockRows::keep(std::int64_t begin, Chunk &chunk, Memory &memory) {
  const std::int64_t index = begin / chunk_;
  Kept &kept = kept_[index];
  kept.num_blocks = static_cast<std::int64_t>(chunk.num_blocks);
  kept.columns = memory.columns.take(chunk.num_blocks);
  kept.values = memory.values.take(chunk.num_blocks * height_ * width_);
  std::copy_n(chunk.columns.data(), chunk.num_blocks, kept.columns);
  std::copy_n(chunk.values.data(), chunk.num_blocks * height_ * width_, kept.values);
  std::int32_t *start = &start_[begin + index];
  *start = 0;
  for (const std::int32_t length : chunk.lengths) {
    start[1] = start[0] + length;
    ++start;
  }
  chunk.lengths.clear();
  chunk.num_blocks = 0;
}

BlockMatrix BlockRows::join() const {
  std::vector<std::int64_t> first = {0}; // blocks before each chunk
  for (const Kept &kept : kept_)
    first.push_back(first.back() + kept.num_blocks);
  const std::int64_t block_size = std::int64_t{height_} * width_;
  if (first.back() * block_size > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::unsupported,
                {.what = "a level of multigrid is too large",
                 .found = fmt::format("{} entries", first.back() * block_size),
                 .allowed = "fewer than 2^31",
                 .remedy = "choose another preconditioner"});
  BlockMatrix m = {.height = height_, .width = width_};
  m.start.resize(num_rows_ + 1);
  m.start[0] = 0;
  m.columns.resize(first.back());
  m.values.resize(first.back() * block_size);
  parallel_chunks(num_rows_, chunk_, [&](std::int64_t begin, std::int64_t end, int) {
    const std::int64_t index = begin / chunk_, at = first[index];
    const Kept &kept = kept_[index];
    std::copy_n(kept.columns, kept.num_blocks, m.columns.data() + at);
    std::copy_n(kept.values, kept.num_blocks * block_size, m.values.data() + at * block_size);
    for (std::int64_t row = begin; row < end; ++row)
      m.start[row + 1] = static_cast<std::int32_t>(at + start_[row + index + 1]);
  });
  return m;
}

HostMatrix host_matrix(BlockMatrix blocks) {
  if (blocks.height == 1 && blocks.width == 1)
    return {std::move(blocks.start), std::move(blocks.columns), std::move(blocks.values)};
  const std::int64_t num_rows = static_cast<std::int64_t>(blocks.start.size()) - 1;
  HostMatrix m;
  m.row_start.resize(num_rows * blocks.height + 1);
  m.row_start[0] = 0;
  m.columns.resize(blocks.values.size());
  parallel_ranges(num_rows, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int32_t first = blocks.start[row], length = blocks.start[row + 1] - first;
      for (int r = 0; r < blocks.height; ++r) {
        std::int64_t at =
            (std::int64_t{first} * blocks.height + std::int64_t{r} * length) * blocks.width;
        for (std::int32_t k = first; k < first + length; ++k)
          for (int c = 0; c < blocks.width; ++c)
            m.columns[at++] = blocks.columns[k] * blocks.width + c;
        m.row_start[row * blocks.height + r + 1] = static_cast<std::int32_t>(at);
      }
    }
  });
  m.values = std::move(blocks.values);
  return m;
}

BlockMatrix transposed(const BlockView &matrix, std::int64_t num_columns) {
  const RowsView rows(matrix.num_rows, matrix.start, matrix.columns);
  BlockMatrix t = {.height = matrix.width, .width = matrix.height};
  t.values.resize(rows.start(matrix.num_rows) * t.height * t.width);
  with_block_size(matrix.height, matrix.width, [&](auto height, auto width) {
    const auto place_block = [&](std::int64_t entry, std::int64_t row, std::int32_t column,
                                 std::int32_t place) {
      const std::int64_t first = t.start[column], length = t.start[column + 1] - first;
      double *to = &t.values[(first * width + place - first) * height];
      for (int r = 0; r < height; ++r) {
        const double *from = matrix.entries(row, r) + (entry - matrix.start[row]) * width;
        for (int v = 0; v < width; ++v)
          to[v * length * height + r] = from[v];
      }
    };
    transpose(rows, num_columns, t.start, t.columns, place_block);
  });
  return t;
}

BlockGraph make_block_graph(const std::int32_t *row_start, const std::int32_t *columns,
                            std::int64_t num_rows, int components) {
  require(num_rows % components == 0, "rows of a matrix of blocks come in whole nodes");
  const std::int64_t num_nodes = num_rows / components;
  BlockGraph graph;
  graph.start.resize(num_nodes + 1);
  for (std::int64_t node = 0; node <= num_nodes; ++node)
    graph.start[node] = row_start[node * components] / (components * components);
  graph.columns.resize(graph.start.back());
  parallel_ranges(num_nodes, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t node = begin; node < end; ++node) {
      const std::int32_t first = graph.start[node], length = graph.start[node + 1] - first;
      for (int r = 0; r < components; ++r) {
        const std::int64_t row = node * components + r;
        require(row_start[row + 1] - row_start[row] == length * components,
                "rows of a node have the same columns");
        const std::int32_t *of_row = columns + row_start[row];
        for (std::int32_t k = 0; k < length; ++k)
          require(of_row[k * components] % components == 0 &&
                      of_row[k * components] + components - 1 == of_row[(k + 1) * components - 1],
                  "columns of a node come together");
      }
      for (std::int32_t k = 0; k < length; ++k)
        graph.columns[first + k] =
            columns[row_start[node * components] + k * components] / components;
    }
  });
  return graph;
}

} // namespace weft
