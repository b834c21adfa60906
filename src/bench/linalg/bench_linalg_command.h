// The options of weft bench linalg.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_bench_linalg(CLI::App &bench);

} // namespace weft
