// weft completion: what a shell needs to complete verbs and options.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

// After all other verbs: the script knows those that `app` has when it is asked for.
void add_completion_command(CLI::App &app);

} // namespace weft
