// Which vertices of two cells meet on a facet, of the mesh or across a periodic side.
#pragma once

#include <array>
#include <cstdint>

#include "mesh/mesh.h"

namespace weft {

using Position = std::array<double, 3>;
double square_distance(const Position &a, const Position &b);

// [vertex of the minus facet, as facet_vertices() has them]: the same one of the plus facet; -1
// past the last.
using VertexPairs = std::array<std::int8_t, 4>;
VertexPairs common_vertices(const Mesh &mesh, const FacetRef &minus, const FacetRef &plus);

} // namespace weft
