// weft verify CASE: convergence orders by refining the mesh.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_verify_command(CLI::App &app);

} // namespace weft
