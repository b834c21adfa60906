// Which cells share a facet, over all sets of a mesh.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/build/periodic_facets.h"
#include "mesh/mesh.h"

namespace weft {

// Cells of all sets in a row: those of set s begin at first_cell[s]. A slot is a local facet.
struct CellGraph {
  std::int64_t num_cells = 0;
  int width = 0;                        // facets of the cells that have most
  std::vector<std::int32_t> neighbour;  // [cell, slot]; -1 none
  std::vector<std::int8_t> opposite;    // [cell, slot]: the neighbour's slot of the same facet
  std::vector<std::int64_t> first_cell; // [set + 1]

  // Where a cell's facet is in the arrays above.
  std::int64_t slot(const FacetRef &facet) const {
    return (first_cell[facet.set] + facet.cell) * width + facet.facet;
  }
};

// Periodic facets have neighbours too. The same whatever the number of threads.
// Errors: input (more cells share a facet than two; own periodic facets without a partner, where
// those of all are here).
CellGraph make_cell_graph(const Mesh &mesh, Partners partners = Partners::all);

} // namespace weft
