// weft cases: the gallery of cases that come with the program.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_cases_command(CLI::App &app);

} // namespace weft
