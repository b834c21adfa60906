#include "linalg/block_matrix.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/error.h"
#include "linalg/block_size.h"
#include "linalg/transposition.h"

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

BlockRows::BlockRows(std::int64_t num_rows, std::int64_t chunk, int height, int width,
                     std::int64_t expected)
    : num_rows_(num_rows), chunk_(chunk), matrix_{.height = height, .width = width} {
  matrix_.start.resize(num_rows + 1);
  matrix_.start[0] = 0;
  // Pages that are never touched cost nothing.
  matrix_.columns.resize(expected);
  matrix_.values.resize(expected * height * width);
}

BlockRows::Chunk BlockRows::place(std::int64_t first_row, Chunk chunk) {
  struct Placed {
    std::int64_t first_row, first_block;
    Chunk chunk;
  };
  std::vector<Placed> placed;
  {
    const std::lock_guard lock(order_);
    waiting_.emplace(first_row, std::move(chunk));
    while (!waiting_.empty() && waiting_.begin()->first == next_row_) {
      placed.push_back({next_row_, num_blocks_, std::move(waiting_.begin()->second)});
      waiting_.erase(waiting_.begin());
      next_row_ += static_cast<std::int64_t>(placed.back().chunk.lengths.size());
      num_blocks_ += static_cast<std::int64_t>(placed.back().chunk.num_blocks);
    }
    make_room();
  }
  {
    const std::shared_lock lock(arrays_);
    for (const Placed &p : placed)
      copy(p.first_row, p.first_block, p.chunk);
  }
  const std::lock_guard lock(order_);
  for (Placed &p : placed)
    spare_.push_back(std::move(p.chunk));
  Chunk next;
  if (!spare_.empty()) {
    next = std::move(spare_.back());
    spare_.pop_back();
    next.lengths.clear();
    next.num_blocks = 0;
  }
  return next;
}

void BlockRows::make_room() {
  const std::int64_t block_size = std::int64_t{matrix_.height} * matrix_.width;
  if (num_blocks_ * block_size > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::unsupported,
                {.what = "a level of multigrid is too large",
                 .found = fmt::format("{} entries or more", num_blocks_ * block_size),
                 .allowed = "fewer than 2^31",
                 .remedy = "choose another preconditioner"});
  const auto room = static_cast<std::int64_t>(matrix_.columns.size());
  if (num_blocks_ <= room)
    return;
  const std::int64_t more = std::max(num_blocks_, room + room / 2);
  const std::unique_lock lock(arrays_);
  matrix_.columns.resize(more);
  matrix_.values.resize(more * block_size);
}

void BlockRows::copy(std::int64_t first_row, std::int64_t first_block, const Chunk &chunk) {
  const std::int64_t block_size = std::int64_t{matrix_.height} * matrix_.width;
  const auto count = static_cast<std::int64_t>(chunk.num_blocks);
  std::copy_n(chunk.columns.data(), count, matrix_.columns.data() + first_block);
  std::copy_n(chunk.values.data(), count * block_size,
              matrix_.values.data() + first_block * block_size);
  std::int64_t end = first_block;
  for (std::size_t row = 0; row < chunk.lengths.size(); ++row)
    matrix_.start[first_row + row + 1] = static_cast<std::int32_t>(end += chunk.lengths[row]);
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
