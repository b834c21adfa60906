// VTU, PVTU and PVD files: those that Weft writes (vtu.h), and those of other programs, as text, in
// base64 or raw, compressed by zlib or not. Points and lines beside the cells are left out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "output/vtk/vtk_cells.h"

namespace weft {

struct VtuArray {
  std::string name;
  int components = 1;
  std::vector<double> values; // [point or cell, component]
};

struct VtuGrid {
  std::vector<double> points;             // [point, 3]
  std::vector<std::int64_t> connectivity; // points of cells, one cell after the other
  std::vector<std::int64_t> offsets;      // where each cell's points end
  std::vector<VtkCell> cells;
  std::vector<VtuArray> point_arrays, cell_arrays;

  std::int64_t num_points() const { return static_cast<std::int64_t>(points.size()) / 3; }
  std::int64_t num_cells() const { return static_cast<std::int64_t>(cells.size()); }
  std::int64_t first_node(std::int64_t cell) const { return cell == 0 ? 0 : offsets[cell - 1]; }
};

// Of a .pvtu file all pieces, one behind the other. Files may be a stranger's: whatever they hold,
// what comes back is a grid whose points and cells exist, or an `input` error with the path and
// what is wrong.
VtuGrid read_vtu(const std::string &path);

// The (time, file) pairs of a collection, in its order; files lie in its folder or below.
std::vector<std::pair<double, std::string>> read_pvd(const std::string &path);

} // namespace weft
