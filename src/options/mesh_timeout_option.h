// --mesh-timeout, of verbs that mesh geometries.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_mesh_timeout_option(CLI::App &command, double &seconds);

} // namespace weft
