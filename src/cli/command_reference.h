// weft reference: the reference page of the case language, for docs/reference/case.md.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

// Adds the subcommand, which the help does not list: it is for those who work on Weft.
void add_reference_command(CLI::App &app);

} // namespace weft
