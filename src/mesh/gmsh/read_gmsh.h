// Gmsh's mesh files: MSH 2.2 and 4.1, ASCII and binary.
//
// Source: Gmsh reference manual, chapter "Gmsh file formats".
// Groups: an entity in physical groups carries their names; a physical group without a name is
// called physical_<number>. Partitioned files and other versions are refused.
#pragma once

#include <string>

#include "mesh/gmsh/gmsh_builder.h"
#include "mesh/raw_mesh.h"

namespace weft {

// Throws an input error with file and line (ASCII) or byte (binary) for anything damaged,
// `unsupported` for element types and versions Weft does not read.
RawMesh read_gmsh(const std::string &path);
// The same from the file's bytes.
RawMesh read_gmsh(GmshSource source);

// The sections that differ between the versions; each reads one and stands before its end after it.
void read_nodes_msh2(GmshSource &source, GmshBuilder &builder);
void read_elements_msh2(GmshSource &source, GmshBuilder &builder);
void read_periodic_msh2(GmshSource &source, GmshBuilder &builder);
// MSH 2 lists an element once for each physical group it is in: makes those one element.
void merge_repeated_elements(RawMesh &raw);

// Entities of MSH 4 with the number of their label.
using GmshEntityLabels = std::map<std::pair<int, std::int64_t>, int>;
GmshEntityLabels read_entities_msh4(GmshSource &source, GmshBuilder &builder);
void read_nodes_msh4(GmshSource &source, GmshBuilder &builder);
void read_elements_msh4(GmshSource &source, GmshBuilder &builder, GmshEntityLabels &entities);
void read_periodic_msh4(GmshSource &source, GmshBuilder &builder);

} // namespace weft
