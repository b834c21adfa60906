// weft sweep: a case for many values of its parameters.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_sweep_command(CLI::App &app);

} // namespace weft
