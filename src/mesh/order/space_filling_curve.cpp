#include "mesh/order/space_filling_curve.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"

namespace weft {

namespace {

// The distance along the curve of a point with coordinates of `bits` bits each.
std::uint64_t hilbert_distance(std::array<std::uint32_t, 3> x, int dim, int bits) {
  const std::uint32_t highest = std::uint32_t{1} << (bits - 1);
  for (std::uint32_t q = highest; q > 1; q >>= 1) // undo the turns of each step, from the largest
    for (int d = 0; d < dim; ++d) {
      const std::uint32_t below = q - 1;
      if (x[d] & q)
        x[0] ^= below;
      else {
        const std::uint32_t swapped = (x[0] ^ x[d]) & below;
        x[0] ^= swapped;
        x[d] ^= swapped;
      }
    }
  for (int d = 1; d < dim; ++d) // Gray code
    x[d] ^= x[d - 1];
  std::uint32_t flip = 0;
  for (std::uint32_t q = highest; q > 1; q >>= 1)
    if (x[dim - 1] & q)
      flip ^= q - 1;
  std::uint64_t distance = 0;
  for (int bit = bits - 1; bit >= 0; --bit) // interleave
    for (int d = 0; d < dim; ++d)
      distance = distance << 1 | ((x[d] ^ flip) >> bit & 1);
  return distance;
}

} // namespace

std::vector<std::int32_t> hilbert_order(std::span<const double> points, int dim) {
  require(dim == 2 || dim == 3, "curves are of two or three dimensions");
  const int bits = dim == 2 ? 31 : 21;
  const auto num_points = static_cast<std::int64_t>(points.size()) / dim;
  std::array<double, 3> low = {}, high = {};
  for (std::int64_t i = 0; i < num_points; ++i)
    for (int d = 0; d < dim; ++d) {
      const double x = points[i * dim + d];
      low[d] = i == 0 ? x : std::min(low[d], x);
      high[d] = i == 0 ? x : std::max(high[d], x);
    }
  double extent = 0;
  for (int d = 0; d < dim; ++d)
    extent = std::max(extent, high[d] - low[d]);
  const double steps = static_cast<double>((std::uint64_t{1} << bits) - 1);
  const double scale = extent > 0 ? steps / extent : 0;
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys(num_points);
  parallel_ranges(num_points, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::array<std::uint32_t, 3> x = {};
      for (int d = 0; d < dim; ++d)
        x[d] = static_cast<std::uint32_t>(std::min(steps, (points[i * dim + d] - low[d]) * scale));
      keys[i] = {hilbert_distance(x, dim, bits), static_cast<std::int32_t>(i)};
    }
  });
  std::sort(keys.begin(), keys.end());
  std::vector<std::int32_t> order(num_points);
  for (std::int64_t p = 0; p < num_points; ++p)
    order[p] = keys[p].second;
  return order;
}

} // namespace weft
