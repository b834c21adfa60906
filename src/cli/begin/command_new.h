// weft new: a folder with a case to begin from.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_new_command(CLI::App &app);

} // namespace weft
