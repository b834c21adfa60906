// Coefficients of the two-point flux approximation of diffusion, from a mesh's geometry.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "linalg/ellpack_matrix.h"
#include "mesh/build/cell_graph.h"

namespace weft {

struct FvCoefficients {
  // A row a cell, a slot a local facet, in 1/s for a diffusivity in m^2/s: transmissibilities over
  // the cell's volume. The ghosts are prescribed values on boundary facets.
  EllpackMatrix matrix;
  std::vector<std::int64_t> ghost_facet;     // [ghost]: in Mesh::facets
  std::vector<std::array<double, 3>> places; // [cell, then ghost]: centroids of cells and facets
  std::vector<double> volume;                // [cell]; area in 2D
  // Cells with a facet to which K n points away from its middle: of negative half
  // transmissibility, with which no maximum principle holds.
  std::int64_t num_negative = 0;
  std::vector<std::int32_t> first_negative; // the first few of them

  // "2 cells, first 4 at (0.5, 0.25), ..."; empty where there is none.
  std::string negative_cells(int dim) const;
};

// On each side of a facet the half transmissibility t = A (K n).o / |o|^2, with its area A, its
// unit normal n out of the cell and o from the cell's centroid to the facet's; that of the facet is
// 1/(1/t- + 1/t+) inside, t where a boundary facet's value is prescribed, none elsewhere (Eymard,
// Gallouet and Herbin 2000, DOI 10.1016/S1570-8659(00)07005-8, section 11). Exact for linear fields
// where K n and o are parallel.
// Quadrilateral facets that are not planar count as four triangles about the mean of their
// vertices, curved edges as straight.
// `conductivity`: nothing for 1, or [cell], or [cell, d, d]. `prescribed`: [facet class] of
// boundary facets; nothing for none.
// Errors: input (a conductivity that is not symmetric with positive diagonal, a cell without
// volume).
FvCoefficients make_fv_coefficients(const Mesh &mesh, const CellGraph &graph,
                                    const std::vector<double> &conductivity = {},
                                    const std::vector<bool> &prescribed = {});

} // namespace weft
