// Facets between two cells that see their common points alike.
#pragma once

#include <vector>

#include "op/evaluate/point_values.h"

namespace weft::reference {

// Facets with the same sets, local facets and position of their vertices on both sides.
struct InteriorGroup {
  int minus_set = 0, minus_facet = 0, plus_set = 0;
  std::vector<int> plus_vertices; // the plus cell's local number of each vertex of the facet
  std::vector<std::int32_t> minus_cells, plus_cells, classes;
};

// All facets between two cells, each once.
std::vector<InteriorGroup> interior_groups(const Mesh &mesh);

// The points of the minus side's rule in reference coordinates of the plus cells.
PointTable make_opposite_table(const Discretisation &d, const InteriorGroup &group);

} // namespace weft::reference
