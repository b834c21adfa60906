// The facets of a refined mesh that are parts of the facets of the coarse one.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.h"

namespace weft {

// Fills facets and num_boundary_facets of `fine`, whose cells are the children of those of `coarse`
// (its nodes of order 2 being there) in the order of refine(): parts of a facet follow one another
// and are of its class. `diagonals`: [set][cell] of tetrahedra, as cell_children() wants it.
void split_facets(const Mesh &coarse, const std::vector<std::vector<std::int8_t>> &diagonals,
                  Mesh &fine);

} // namespace weft
