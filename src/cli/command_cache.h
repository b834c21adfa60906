// weft cache ls|clear: what is kept between runs, compiled kernels and meshed geometries.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_cache_command(CLI::App &app);

} // namespace weft
