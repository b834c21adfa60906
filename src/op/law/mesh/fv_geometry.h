// Where the cells of finite volumes and their facets lie.
#pragma once

#include <cstdint>
#include <vector>

#include "op/law/mesh/dg_mesh.h"
#include "op/law/mesh/facet_neighbours.h"
#include "op/problem/discretisation.h"

namespace weft {

// Positions of the cells of a set.
struct FvPositions {
  std::vector<double> centre; // [cell, d]: centroids
  std::vector<double> volume; // [cell]
  std::vector<double> middle; // [cell, facet, d]: centroids, by the fraction of area along the mean
                              // normal, so that both sides have the same
};
FvPositions fv_positions(const Discretisation &d, int set);

// For a law of finite volumes: middles and offsets in the facet metrics of all sets, and, where the
// law has cell gradients, gradient_weights and limiter_slack.
void set_fv_geometry(const Discretisation &d, const FacetNeighbours &neighbours, DgMesh &mesh);

// Venkatakrishnan's slack for small changes, (K h)^3 with K = 5, of a field whose scale is 1
// (doi:10.1006/jcph.1995.1084, equation 21 and after; his variables are of the order of one, others
// are divided by their limiter_scales()): changes below its square root are not limited, so that
// smooth extrema keep order 2. h is the cube root of a cell's volume (in the plane the square root)
// over the largest extent of the mesh.
double limiter_slack(double relative_size);

} // namespace weft
