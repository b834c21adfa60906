// Uniform refinement: every cell is split regularly.
#pragma once

#include "mesh/mesh_levels.h"
#include "mesh/raw_mesh.h"

namespace weft {

// Splits every cell of `mesh`, which assemble_cells() has made, and every element of lower
// dimension left in `raw` as cell_children() says. Children stay in their region, follow one
// another, and parts of a facet in its groups; of a tetrahedron's three inner diagonals the
// shortest is taken. The mesh's nodes keep their numbers; on geometry of order 2 new ones lie on
// the curved cells. Facets, edges and points with groups that the mesh has go along. Sets may be
// empty. Returns where the vertices come from. Elements of `raw` are known to be facets or edges of
// cells. Error (unsupported): check_can_be_refined().
VertexParents refine(Mesh &mesh, RawMesh &raw);

// `order`: of the geometry. Errors: unsupported (too many cells of a type, pyramids of order 2).
void check_can_be_refined(CellType type, std::int64_t num_cells, int order);

} // namespace weft
