// Cells of zero volume and of the wrong orientation.
#pragma once

#include <vector>

#include "mesh/mesh.h"
#include "mesh/raw_mesh.h"

namespace weft {

// Mirrors the cells of an entity whose cells are all reversed, with a notice. `set` still has the
// raw mesh's nodes, and in region[] its labels; `tags` [cell] are the cells' numbers in the file
// (empty: counted from 1). Input errors, with count and first cells: zero volume, mixed signs.
void orient_cells(const RawMesh &raw, const std::vector<std::int64_t> &tags, CellSet &set);

} // namespace weft
