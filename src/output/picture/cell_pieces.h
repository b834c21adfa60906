// Cells of VTK's grids cut into linear triangles and tetrahedra between their nodes, for pictures.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mesh/cell_type.h"

namespace weft {

// A triangle between nodes of a cell. Bit e of `outline`: the side from corner e to corner e+1 (of
// the last to the first) lies on an edge of the cell.
struct TrianglePiece {
  std::array<int, 3> nodes{};
  std::uint8_t outline = 0;
};

// A tetrahedron between nodes of a cell. Bit v of `boundary`: the face opposite to corner v lies on
// a face of the cell.
struct TetrahedronPiece {
  std::array<int, 4> nodes{};
  std::uint8_t boundary = 0;
};

struct FacePieces {
  std::vector<int> corners; // the nodes at its vertices
  std::vector<TrianglePiece> triangles;
};

struct CellPieces {
  std::vector<FacePieces> faces;            // of a 2D cell: the cell itself
  std::vector<TetrahedronPiece> tetrahedra; // of a 3D cell
};

// Of the cell with vtk_nodes(cell, order). An order p cuts each simplex into p^d of the same kind,
// whose corners are nodes; where VTK's cell lacks one of them (the quadratic pyramid, at the middle
// of its base), the simplex stays whole.
CellPieces make_cell_pieces(CellType cell, int order);

} // namespace weft
