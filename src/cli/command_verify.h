// weft verify CASE: convergence orders by refining the mesh.
#pragma once

#include <CLI/CLI.hpp>

#include "ranks/communicator.h"

namespace weft {

// `ranks`: that share the meshes; null: this one is alone.
void add_verify_command(CLI::App &app, Communicator *ranks);

} // namespace weft
