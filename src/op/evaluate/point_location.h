// In which cells a point of space lies, and where in them.
#pragma once

#include <span>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

struct LocatedPoint {
  int set = 0;
  std::int32_t cell = 0;
  std::vector<double> reference; // reference coordinates in the cell
  double outside = 0; // how far these are outside of the reference cell, at most the tolerance
};

inline constexpr double location_tolerance = 1e-6; // of a cell's size

// [point]: all cells of a geometry that contain it, up to a tolerance: several where it lies on a
// facet, an edge or a vertex. In order of (set, cell); empty outside. Looks at every cell's
// bounding box once, on all threads; curved cells by Newton's iteration. `num_cells`: [set], the
// first ones, which are looked at; `points`: [point, dim].
std::vector<std::vector<LocatedPoint>> locate_points(const NodeMap &geometry, int dim,
                                                     std::span<const std::int64_t> num_cells,
                                                     std::span<const double> points,
                                                     double tolerance = location_tolerance);

// The same in the cells of this rank.
std::vector<std::vector<LocatedPoint>> locate_points(const Discretisation &d,
                                                     std::span<const double> points);

// The same of points of a problem without ranks. Errors (input): coordinates that are no whole
// number of points, a point outside the mesh, whose extent is told; `where`: for messages.
std::vector<std::vector<LocatedPoint>> locate_all_points(const Discretisation &d,
                                                         std::span<const double> points,
                                                         const std::string &where);

struct CellsAtPoint {
  std::vector<LocatedPoint> own;
  std::int64_t num_all = 0; // of all ranks
};

// The same of a point that the user named in `where`, on all ranks. Errors (input): not as many
// coordinates as the mesh has, one that is not finite, a point outside the mesh, whose extent is
// told.
CellsAtPoint locate_named_point(const Discretisation &d, std::span<const double> point,
                                const std::string &where);

} // namespace weft
