// Known values at nodes as kernels of discontinuous Galerkin methods read them, see DgMesh.
#pragma once

#include <vector>

#include "op/law/mesh/dg_mesh.h"

namespace weft {

// [direction] at each node: where it is. Padded.
std::vector<double> dg_node_positions(const Discretisation &d, const DgMesh &mesh);

// [component of all auxiliary fields of the law in a row] at each node. Error (unsupported): a
// known field that depends on time.
std::vector<double> dg_known_values(const Discretisation &d, const DgMesh &mesh);

// [group, lane]: what `cell_size` stands for.
std::vector<double> dg_cell_sizes(const Discretisation &d, const DgMesh &mesh, const DgSet &set);

} // namespace weft
