// weft run CASE: the whole flow.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_run_command(CLI::App &app);

} // namespace weft
