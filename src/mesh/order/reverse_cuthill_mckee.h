// Reverse Cuthill-McKee order of a graph.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/order/cell_adjacency.h"

namespace weft {

// Level after level from a cell at an end of the graph, the neighbours of a cell by ascending
// degree, then all reversed (Cuthill and McKee 1969, DOI 10.1145/800195.805928; George and Liu
// 1981). Each connected part begins at a pseudo-peripheral cell (Gibbs, Poole and Stockmeyer 1976,
// DOI 10.1137/0713023); parts follow one another by their lowest cells. Ties are broken by the
// cells' numbers. Result: [place] the cell there.
std::vector<std::int32_t> reverse_cuthill_mckee(const CellAdjacency &adjacency);

} // namespace weft
