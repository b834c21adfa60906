// weft check CASE: everything short of solving; prints one stage of the flow if asked.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_check_command(CLI::App &app);

} // namespace weft
