// From a raw mesh to the cells of a Mesh: checked, oriented, of the order asked for, without nodes
// that no cell uses.
#pragma once

#include "mesh/mesh.h"
#include "mesh/raw_mesh.h"

namespace weft {

// Fills dim, geometry_order, coordinates (scaled), sets (in the raw mesh's order, one leaf each)
// and region_classes; region[] are final. What is left in `raw` are the elements of lower
// dimension, their nodes reduced to vertices and renumbered as the mesh's (-1: in no cell), and its
// labels.
//
// `order`: geometry order asked for, 0 for the cells' own; cells of order 2 are reduced to their
// vertices for 1, cells of order 1 get straight nodes of order 2 for 2, each with a notice when
// they come from a file. Errors (input): no cells, a surface mesh that is not in a plane z = const,
// cells of both orders, zero-volume cells, regions that mix orientations. `tags`, where given,
// receives the cells' numbers in the file, [set][cell].
Mesh assemble_cells(RawMesh &raw, int order, double scale,
                    std::vector<std::vector<std::int64_t>> *tags = nullptr);

// The class with exactly these groups (sorted), added if it is new.
std::int32_t find_class(std::vector<GroupClass> &classes, const std::vector<std::string> &groups);

// "point", "curve", "surface", "volume": of geometry by its dimension.
const char *entity_kind(int dim);

// The name of geometry without a group: "volume_3", "surface_1", "curve_2", "point_7"; otherwise
// the groups of the label.
std::vector<std::string> group_names(const RawLabel &label);

} // namespace weft
