#include "op/problem/facet_groups.h"

#include <algorithm>
#include <tuple>

namespace weft {

std::vector<std::int32_t> select_facets(const Mesh &mesh, const std::vector<bool> &selected,
                                        bool interior) {
  const auto count =
      interior ? static_cast<std::int64_t>(mesh.facets.size()) : mesh.num_boundary_facets;
  std::vector<std::int32_t> result;
  for (std::int64_t f = 0; f < count; ++f)
    if (selected[mesh.facets[f].facet_class])
      result.push_back(static_cast<std::int32_t>(f));
  const auto key = [&](std::int32_t f) {
    const FacetRef &minus = mesh.facets[f].minus;
    return std::tuple(minus.set, minus.facet, minus.cell);
  };
  std::sort(result.begin(), result.end(),
            [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  return result;
}

std::vector<FacetGroup> group_facets(const Mesh &mesh, const std::vector<std::int32_t> &facets) {
  std::vector<FacetGroup> groups;
  for (const auto f : facets) {
    const FacetRef &minus = mesh.facets[f].minus;
    if (groups.empty() || groups.back().set != minus.set || groups.back().facet != minus.facet)
      groups.push_back({.set = minus.set, .facet = minus.facet});
    groups.back().cells.push_back(minus.cell);
    groups.back().classes.push_back(mesh.facets[f].facet_class);
  }
  return groups;
}

} // namespace weft
