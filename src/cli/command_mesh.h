// weft mesh info|box|blocks: looking at meshes and making simple ones.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

// Adds the subcommand `mesh`. Its callbacks do the work and throw Error.
//   weft mesh info FILE       counts, groups, extent, quality, worst cells
//   weft mesh box -o FILE     a box as a Gmsh file
//   weft mesh blocks FILE     what blocks of merged leaves share
void add_mesh_command(CLI::App &app);

} // namespace weft
