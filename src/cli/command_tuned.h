// weft tuned ls|export|import|clear: what tuning has found and machines were measured to do,
// listed, shared and forgotten.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_tuned_command(CLI::App &app);

} // namespace weft
