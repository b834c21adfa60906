// Facets between two cells that see their common points alike.
#pragma once

#include <vector>

#include "mesh/mesh.h"
#include "space/quadrature.h"

namespace weft {

// Facets with the same sets, local facets and position of their vertices on both sides.
struct InteriorGroup {
  int minus_set = 0, minus_facet = 0, plus_set = 0;
  std::vector<int> plus_vertices; // the plus cell's local number of each vertex of the facet
  std::vector<std::int32_t> minus_cells, plus_cells, classes; // [facet]; classes: of facets
};

// [class]: whether a facet between two cells that has a group, or one that periodicity joins, is in
// it.
std::vector<bool> classes_between_cells(const Mesh &mesh);

// The facets between two cells, also those that periodicity joins, each once, of the classes that
// are selected.
std::vector<InteriorGroup> interior_groups(const Mesh &mesh, const std::vector<bool> &selected);

// The points of the minus side's rule (make_facet_quadrature()) in reference coordinates of the
// plus cells: [point, dim].
std::vector<double> plus_points(const Mesh &mesh, const InteriorGroup &group, int degree,
                                LinePoints points);

} // namespace weft
