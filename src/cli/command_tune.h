// weft tune CASE: searches for the fastest kernels of a case and keeps the result.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_tune_command(CLI::App &app);

} // namespace weft
