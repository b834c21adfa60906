#include "base/permutation.h"

#include "base/parallel.h"

namespace weft {

std::vector<std::int32_t> inverse_permutation(std::span<const std::int32_t> order) {
  std::vector<std::int32_t> places(order.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    places[order[p]] = static_cast<std::int32_t>(p);
  return places;
}

} // namespace weft
