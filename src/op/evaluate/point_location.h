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
};

// [point]: all cells of this rank that contain it, up to 1e-6 of their size: several where it lies
// on a facet, an edge or a vertex. In order of (set, cell); empty outside the mesh. Looks at every
// cell's bounding box once, on all threads; curved cells by Newton's iteration. `points`: [point,
// dim].
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
