// Facets (or edges, points) that are the same local one of cells of one set: they share their
// reference points.
#pragma once

#include <vector>

#include "mesh/mesh.h"

namespace weft {

struct FacetGroup {
  int set = 0;
  int facet = 0; // local number of the facet, edge or vertex
  std::vector<std::int32_t> cells;
  std::vector<std::int32_t>
      classes; // parallel to cells: index into Mesh::facet_classes, or as said
};

// Indices into Mesh::facets of the facets in the selected classes, ordered by (set, local facet,
// cell) of their minus side. `interior`: also those with a cell on both sides.
std::vector<std::int32_t> select_facets(const Mesh &mesh, const std::vector<bool> &selected,
                                        bool interior);

// Splits facets in the order of select_facets().
std::vector<FacetGroup> group_facets(const Mesh &mesh, const std::vector<std::int32_t> &facets);

} // namespace weft
