#include "mesh/parts/copy_groups.h"

#include <algorithm>

namespace weft {

void copy_facets(const Mesh &from, const CellsOfVertices &cells,
                 const std::vector<std::int32_t> &place, Mesh &to) {
  const auto move = [&](FacetRef &ref) {
    if (ref.cell >= 0)
      ref.cell = place[cells.first(ref.set) + ref.cell];
    return ref.cell >= 0;
  };
  for (std::size_t f = 0; f < from.facets.size(); ++f) {
    Facet facet = from.facets[f];
    const bool on_boundary = static_cast<std::int64_t>(f) < from.num_boundary_facets;
    if (!move(facet.minus) || (!on_boundary && !move(facet.plus)))
      continue;
    to.facets.push_back(facet);
    to.num_boundary_facets += on_boundary ? 1 : 0;
  }
}

void copy_points_and_edges(const Mesh &from, const std::vector<std::int32_t> &place, Mesh &to) {
  for (const auto &[group, nodes] : from.point_groups) {
    std::vector<std::int32_t> &here = to.point_groups[group]; // empty in most parts
    for (const std::int32_t node : nodes)
      if (place[node] >= 0)
        here.push_back(place[node]);
  }
  for (const auto &[group, edges] : from.edge_groups) {
    std::vector<Edge> &here = to.edge_groups[group];
    for (const Edge &edge : edges)
      if (const Edge at = {place[edge[0]], place[edge[1]]}; at[0] >= 0 && at[1] >= 0)
        here.push_back({std::min(at[0], at[1]), std::max(at[0], at[1])});
    std::sort(here.begin(), here.end());
  }
}

} // namespace weft
