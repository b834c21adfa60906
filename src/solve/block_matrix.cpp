#include "solve/block_matrix.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"

namespace weft {

BlockRows::BlockRows(std::int64_t num_rows, std::int64_t chunk, int height, int width)
    : num_rows_(num_rows), chunk_(chunk), height_(height), width_(width),
      chunks_((num_rows + chunk - 1) / chunk) {}

BlockMatrix BlockRows::join() {
  std::vector<std::int64_t> first = {0}; // blocks before each chunk
  for (const Chunk &c : chunks_)
    first.push_back(first.back() + static_cast<std::int64_t>(c.columns.size()));
  const std::int64_t num_entries = first.back() * height_ * width_;
  if (num_entries > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::unsupported, {.what = "a level of multigrid is too large",
                                         .found = fmt::format("{} entries", num_entries),
                                         .allowed = "fewer than 2^31",
                                         .remedy = "choose another preconditioner"});
  BlockMatrix m = {.height = height_, .width = width_};
  m.start.resize(num_rows_ + 1);
  m.columns.resize(first.back());
  m.values.resize(num_entries);
  parallel_chunks(num_rows_, chunk_, [&](std::int64_t begin, std::int64_t, int) {
    Chunk &c = chunks_[begin / chunk_];
    std::int64_t at = first[begin / chunk_];
    std::copy(c.columns.begin(), c.columns.end(), m.columns.begin() + at);
    std::copy(c.values.begin(), c.values.end(), m.values.begin() + at * height_ * width_);
    for (const std::int32_t length : c.lengths)
      m.start[++begin] = static_cast<std::int32_t>(at += length);
    c = {};
  });
  return m;
}

HostMatrix host_matrix(BlockMatrix blocks) {
  if (blocks.height == 1 && blocks.width == 1)
    return {std::move(blocks.start), std::move(blocks.columns), std::move(blocks.values)};
  const std::int64_t num_rows = static_cast<std::int64_t>(blocks.start.size()) - 1;
  HostMatrix m;
  m.row_start.resize(num_rows * blocks.height + 1, 0);
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
