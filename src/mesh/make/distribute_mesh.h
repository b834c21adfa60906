// The mesh of a case, a part of it on each rank.
#pragma once

#include <cstdint>
#include <functional>

#include "mesh/make/make_mesh.h"
#include "ranks/communicator.h"

namespace weft {

// All: the mesh that make_mesh() makes but for blocks, in parts of about equal costs; cells and
// nodes have the numbers of the file or generator in MeshShare. Rank 0 reads the mesh, cuts it and
// hands out the pieces, which the ranks refine themselves. It is refined before only while it has
// less than `least_cells` a rank, where coarse cells would be too few to share out evenly. Of a box
// with as many cells, and without groups by place, each rank makes its own brick.
// `cost`: of a cell of a type, above 0. `look`: called by rank 0 with the whole mesh it has cut;
// not for bricks. Errors: of make_mesh() and `look`, on all ranks.
Mesh distribute_mesh(const MeshSpec &spec, Communicator &ranks,
                     const std::function<double(CellType)> &cost, Timings &timings,
                     const std::function<void(const Mesh &whole)> &look = {},
                     std::int64_t least_cells = 2000);

} // namespace weft
