// Sheets of triangles taken from a grid: its surface, and slices through it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "output/vtk/vtu_read.h"

namespace weft {

// A place on the line between two points of the grid, within one cell: (1 - t) a + t b.
struct SheetVertex {
  std::int64_t a = 0, b = 0;
  double t = 0;
  std::int64_t cell = 0;
};

struct Sheet {
  std::vector<SheetVertex> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles; // of vertices
  std::vector<std::uint8_t> outlines; // of each triangle, bit e: its side from corner e is to be
                                      // seen as an edge of the mesh
};

// 2 or 3, by the grid's first cell; 3 of a grid without cells.
int dimension(const VtuGrid &grid);

// The faces that one cell alone has, cut into triangles between the cells' nodes; of a 2D grid, its
// cells. Points that cells do not share are told to be one by their places.
Sheet surface_of(const VtuGrid &grid);

// Where the plane x_axis = position meets the cells of a 3D grid.
Sheet slice_of(const VtuGrid &grid, int axis, double position);

} // namespace weft
