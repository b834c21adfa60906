// The options of weft bench integration.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_bench_integration(CLI::App &bench);

} // namespace weft
