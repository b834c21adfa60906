// The mesh of a case, a part of it on each rank.
#pragma once

#include <functional>

#include "mesh/make/make_mesh.h"
#include "ranks/communicator.h"

namespace weft {

// All: rank 0 makes the mesh, as make_mesh() does but for blocks, cuts it into parts of about equal
// costs and hands them out; cells and nodes have the numbers of the file or generator in
// MeshShare. `cost`: of a cell of a type, above 0. `look`: called by rank 0 with the whole mesh.
// Errors: of make_mesh() and `look`, on all ranks.
Mesh distribute_mesh(const MeshSpec &spec, Communicator &ranks,
                     const std::function<double(CellType)> &cost, Timings &timings,
                     const std::function<void(const Mesh &whole)> &look = {});

} // namespace weft
