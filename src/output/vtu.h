// VTU and PVD files, for ParaView and VTK.
#pragma once

#include <string>

#include "op/field_values.h"

namespace weft {

// Writes binary (appended raw) VTU. Continuous fields share the grid's points; if any field is
// discontinuous, the cells' points are written apart. Grid order = the highest order among geometry
// and fields; VTK Lagrange cells for order 2 and up; pyramids of order 2 as VTK_QUADRATIC_PYRAMID
// (13 nodes) or whatever VTK 9.1 reads. Region classes go out as cell data `region`.
// Throws `system` when the file can't be written (the folder, the reason).
void write_vtu(const std::string &path, const Discretisation &d,
               const std::vector<OutputField> &fields);
// A collection of (time, file) pairs.
void write_pvd(const std::string &path, const std::vector<std::pair<double, std::string>> &files);

} // namespace weft
