#include "mesh/order/blocks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>

#include "base/host_array.h"
#include "base/parallel.h"

namespace weft {

namespace {

struct Centroid {
  std::array<float, 3> x;
  std::int32_t cell;
};

// `cell_at`: the cell at a place of `count`.
template <typename CellAt>
HostArray<Centroid> compute_centroids(const Mesh &mesh, const CellSet &set, std::int64_t count,
                                      const CellAt &cell_at) {
  const int vertices = num_vertices(set.type), dim = mesh.dim;
  HostArray<Centroid> centroids(count);
  parallel_ranges(count, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t c = begin; c < end; ++c) {
      const std::int64_t cell = cell_at(c);
      const std::int32_t *nodes = &set.nodes[cell * set.nodes_per_cell];
      std::array<double, 3> sum = {0, 0, 0};
      for (int v = 0; v < vertices; ++v)
        for (int d = 0; d < dim; ++d) // relative to the first node: floats keep their digits
          sum[d] +=
              mesh.coordinates[static_cast<std::int64_t>(nodes[v]) * dim + d] - mesh.coordinates[d];
      for (int d = 0; d < 3; ++d)
        centroids[c].x[d] = static_cast<float>(sum[d] / vertices);
      centroids[c].cell = static_cast<std::int32_t>(cell);
    }
  });
  return centroids;
}

// Cells are bisected on below a leaf, down to about this many: neighbours in the order are
// neighbours in space.
constexpr std::int64_t smallest_part = 16;

int longest_direction(const Centroid *begin, const Centroid *end) {
  std::array<float, 3> low = begin->x, high = begin->x;
  for (const Centroid *c = begin; c != end; ++c)
    for (int d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], c->x[d]);
      high[d] = std::max(high[d], c->x[d]);
    }
  int direction = 0;
  for (int d = 1; d < 3; ++d)
    if (high[d] - low[d] > high[direction] - low[direction])
      direction = d;
  return direction;
}

// The cells begin..end are to be cut into parts of `unit` cells; returns where the first cut is and
// puts the cells on their sides of it.
Centroid *bisect(Centroid *begin, Centroid *end, std::int64_t unit) {
  const std::uint64_t parts = (end - begin + unit - 1) / unit;
  Centroid *middle = begin + static_cast<std::int64_t>(std::bit_ceil(parts) / 2) * unit;
  const int d = longest_direction(begin, end);
  std::nth_element(begin, middle, end, [d](const Centroid &a, const Centroid &b) {
    return a.x[d] != b.x[d] ? a.x[d] < b.x[d] : a.cell < b.cell;
  });
  return middle;
}

void bisect_all(Centroid *begin, Centroid *end, std::int64_t leaf_cells) {
  if (end - begin <= smallest_part)
    return;
  Centroid *middle = bisect(begin, end, end - begin > leaf_cells ? leaf_cells : smallest_part);
  bisect_all(begin, middle, leaf_cells);
  bisect_all(middle, end, leaf_cells);
}

// Cuts the largest part until there is work for all threads, then does the parts at once.
void bisect_in_parallel(HostArray<Centroid> &cells, std::int64_t leaf_cells) {
  using Part = std::pair<Centroid *, Centroid *>;
  std::vector<Part> parts = {{cells.data(), cells.data() + cells.size()}};
  const auto size = [](const Part &part) { return part.second - part.first; };
  const auto smaller = [&](const Part &a, const Part &b) { return size(a) < size(b); };
  const std::size_t wanted = host_threads() == 1 ? 1 : 4 * host_threads();
  while (parts.size() < wanted) {
    const auto largest = std::max_element(parts.begin(), parts.end(), smaller);
    if (size(*largest) <= std::max<std::int64_t>(leaf_cells, 4096))
      break;
    Centroid *middle = bisect(largest->first, largest->second, leaf_cells);
    const Part rest(middle, largest->second);
    largest->second = middle;
    parts.push_back(rest);
  }
  std::sort(parts.rbegin(), parts.rend(), smaller);
  // One call a thread; each takes parts until none is left.
  std::atomic<std::size_t> next = 0;
  parallel_ranges(static_cast<std::int64_t>(cells.size()), [&](std::int64_t, std::int64_t, int) {
    for (std::size_t part = next++; part < parts.size(); part = next++)
      bisect_all(parts[part].first, parts[part].second, leaf_cells);
  });
}

template <typename T>
void permute(std::vector<T> &values, int each, const HostArray<Centroid> &order) {
  std::vector<T> moved(values.size());
  parallel_ranges(static_cast<std::int64_t>(order.size()), [&](std::int64_t begin, std::int64_t end,
                                                               int) {
    for (std::int64_t c = begin; c < end; ++c)
      std::copy_n(&values[static_cast<std::int64_t>(order[c].cell) * each], each, &moved[c * each]);
  });
  values = std::move(moved);
}

// Cells that were in the canonical order have their old places as numbers.
void keep_canonical(CellSet &set, const HostArray<Centroid> &order) {
  if (!set.canonical.empty())
    return permute(set.canonical, 1, order);
  set.canonical.resize(order.size());
  parallel_ranges(static_cast<std::int64_t>(order.size()),
                  [&](std::int64_t begin, std::int64_t end, int) {
                    for (std::int64_t c = begin; c < end; ++c)
                      set.canonical[c] = static_cast<std::int32_t>(order[c].cell);
                  });
}

} // namespace

void order_cells(Mesh &mesh, int leaf_cells) {
  for (auto &set : mesh.sets) {
    HostArray<Centroid> order =
        compute_centroids(mesh, set, set.num_cells(), [](std::int64_t c) { return c; });
    bisect_in_parallel(order, leaf_cells);
    permute(set.nodes, set.nodes_per_cell, order);
    permute(set.region, 1, order);
    keep_canonical(set, order);
    set.leaf_offset.clear();
    for (std::int64_t offset = 0; offset < set.num_cells(); offset += leaf_cells)
      set.leaf_offset.push_back(offset);
    set.leaf_offset.push_back(set.num_cells());
  }
}

std::vector<std::int32_t> ordered_cells(const Mesh &mesh, const CellSet &set,
                                        std::span<const std::int32_t> cells, int leaf_cells) {
  HostArray<Centroid> order =
      compute_centroids(mesh, set, static_cast<std::int64_t>(cells.size()),
                        [&](std::int64_t c) -> std::int64_t { return cells[c]; });
  bisect_in_parallel(order, leaf_cells);
  std::vector<std::int32_t> result(cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c)
    result[c] = order[c].cell;
  return result;
}

} // namespace weft
