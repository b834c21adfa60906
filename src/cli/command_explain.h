// weft explain CASE
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_explain_command(CLI::App &app);

} // namespace weft
