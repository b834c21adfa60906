// How well shaped cells are.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mesh/mesh.h"

namespace weft {

// Figures of one cell, from its vertices; for the ideal cell (all edges equal, angles as regular as
// they can be) aspect ratio and scaled Jacobian are 1.
//
// volume: area in 2D.
// aspect_ratio: longest edge / (dim volume / surface), normalised; for simplices the ratio of the
//   longest edge and the inradius. 1 and up.
// scaled_jacobian: the smallest over the vertices of det(edges at the vertex) / product of their
//   lengths, normalised. 1 down to -1; at most 0 for a degenerate or inverted corner.
// Source: Stimpson et al., "The Verdict Geometric Quality Library", Sandia SAND2007-1751, 2007.
struct CellQuality {
  double volume = 0;
  double aspect_ratio = 0;
  double scaled_jacobian = 0;
};

CellQuality cell_quality(const Mesh &mesh, const CellSet &set, std::int64_t cell);

struct WorstCell {
  std::int32_t set = 0;
  std::int64_t cell = 0;
  double value = 0;
};

// The range of a figure over all cells, and its worst cells, worst first.
struct QualityRange {
  double minimum = 0, mean = 0, maximum = 0;
  std::vector<WorstCell> worst;
};

struct MeshQuality {
  QualityRange volume;          // worst: smallest
  QualityRange aspect_ratio;    // worst: greatest
  QualityRange scaled_jacobian; // worst: smallest
};

MeshQuality mesh_quality(const Mesh &mesh, int num_worst);

} // namespace weft
