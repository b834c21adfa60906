// The command line of weft bench dg.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_bench_dg(CLI::App &bench);

} // namespace weft
