// The options of weft bench fv.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_bench_fv(CLI::App &bench);

} // namespace weft
