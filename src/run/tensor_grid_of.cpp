#include "run/tensor_grid_of.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

// Coordinates nearer than that, over the largest distance, are the same.
constexpr double same_coordinate = 1e-9;

// [node]: which of the different coordinates in a direction it has, in ascending order; how many
// there are.
struct Ranks {
  std::vector<std::int64_t> rank;
  std::int64_t count = 1;
};

Ranks ranks_of(const std::vector<double> &coordinates, std::int64_t num_nodes, int dim,
               int direction) {
  std::vector<double> sorted(num_nodes);
  for (std::int64_t n = 0; n < num_nodes; ++n)
    sorted[n] = coordinates[n * dim + direction];
  std::sort(sorted.begin(), sorted.end());
  const double tolerance = same_coordinate * (sorted.back() - sorted.front());
  std::vector<double> firsts; // of each run of equal ones
  for (const double x : sorted)
    if (firsts.empty() || x > firsts.back() + tolerance)
      firsts.push_back(x);
  Ranks ranks;
  ranks.count = static_cast<std::int64_t>(firsts.size());
  ranks.rank.resize(num_nodes);
  for (std::int64_t n = 0; n < num_nodes; ++n)
    ranks.rank[n] =
        std::upper_bound(firsts.begin(), firsts.end(), coordinates[n * dim + direction]) -
        firsts.begin() - 1;
  return ranks;
}

} // namespace

TensorGrid tensor_grid_of(const Discretisation &d) {
  if (d.field_map.size() != 1)
    return {};
  const NodeMap &map = d.map_of_field(0);
  const int dim = d.mesh->dim;
  TensorGrid grid;
  const std::int64_t num_nodes = map.num_global;
  if (num_nodes == 0 || d.num_global % num_nodes != 0)
    return {};
  grid.components = static_cast<int>(d.num_global / num_nodes);
  std::vector<std::int64_t> point(num_nodes, 0);
  std::int64_t stride = 1;
  for (int direction = 0; direction < dim; ++direction) {
    const Ranks ranks = ranks_of(map.coordinates, num_nodes, dim, direction);
    for (std::int64_t n = 0; n < num_nodes; ++n)
      point[n] += stride * ranks.rank[n];
    grid.size[direction] = ranks.count;
    stride *= ranks.count;
    if (stride > num_nodes)
      return {};
  }
  if (stride != num_nodes)
    return {};
  grid.unknowns.assign(num_nodes * grid.components, -1);
  for (std::int64_t n = 0; n < num_nodes; ++n)
    for (int k = 0; k < grid.components; ++k)
      grid.unknowns[point[n] * grid.components + k] =
          static_cast<std::int32_t>(n * grid.components + k);
  const bool is_full =
      std::find(grid.unknowns.begin(), grid.unknowns.end(), -1) == grid.unknowns.end();
  return is_full ? grid : TensorGrid{};
}

} // namespace weft
