// How large the groups of a mesh are, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mesh/mesh.h"
#include "mesh/position.h"

namespace weft {

// Between vertices, as if edges were straight. The cells of a region, the facets, edges or points
// of a group.
struct GroupMeasure {
  std::string name; // empty: facets without a group
  int dim = 0;      // of its parts
  std::int64_t count = 0;
  double measure = 0;   // volume, area or length; of points their number
  Position centre = {}; // the mean over it
  Position normal = {}; // of facets: the mean of the unit normals, which point out of the mesh, or
                        // inside of it from the facet's minus to its plus side
};

// By dimension, from the cells down, then by name.
std::vector<GroupMeasure> group_measures(const Mesh &mesh);

} // namespace weft
