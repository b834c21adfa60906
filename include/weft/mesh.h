// A mesh in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft {

// Cells of one type: VTK's number of it (triangle 5, quadrilateral 9, tetrahedron 10, hexahedron
// 12, prism 13, pyramid 14; of order 2: 22, 28, 24, 29, 32; facets besides: line
// 3, of order 2 21, vertex 1), and their nodes in VTK's order.
struct MeshCells {
  int vtk_type = 0;
  std::size_t nodes_per_cell = 0;
  std::vector<std::int64_t> nodes; // [cell][node], numbers of points from 0
};

// Cells and facets by a name that cases use: numbers from 0, all blocks of cells one after the
// other. All cells of a group have one dimension.
struct MeshGroup {
  std::string name;
  std::vector<std::int64_t> cells;
};

// As meshes lie in meshio and VTK. Cells of the highest dimension are the mesh; others are facets
// (edges, points) of it, there to be named by groups. Facets in no group need not be listed.
struct MeshArrays {
  std::size_t dimension = 3;  // coordinates of a point: 2 or 3
  std::vector<double> points; // [point][dimension]
  std::vector<MeshCells> cells;
  std::vector<MeshGroup> groups;
};

} // namespace weft
