// VTU and PVD files, for ParaView and VTK.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "op/evaluate/field_values.h"

namespace weft {

// Writes binary (appended raw) VTU of the cells of this rank, beside its place and then renamed.
// Continuous fields share the grid's points; if any field is discontinuous, or the mesh periodic,
// each cell has its own. Grid order = the highest order among geometry and fields: VTK's quadratic
// cells for order 2 (pyramids those of 13 nodes: the value at the middle of the base is left out),
// Lagrange cells from order 3. Fields of lower order and those on nodal elements are interpolated
// at the equispaced nodes of these cells; those of order 0 and the region classes (`region`) are
// cell data. In 2D, 2 components become a vector of 3 and 4 a tensor of 9.
// Throws `system` when the file can't be written (the path, the reason).
void write_vtu(const std::string &path, const Discretisation &d,
               const std::vector<OutputField> &fields);
// The file that names what all ranks wrote by write_vtu() of the same fields: `pieces` lie beside
// it. Throws `system`.
void write_pvtu(const std::string &path, const Discretisation &d,
                const std::vector<OutputField> &fields, const std::vector<std::string> &pieces);
// A collection of (time, file) pairs.
void write_pvd(const std::string &path, const std::vector<std::pair<double, std::string>> &files);

} // namespace weft
