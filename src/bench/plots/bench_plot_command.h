// weft bench plot: figures drawn anew from tables that benchmarks wrote.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_bench_plot(CLI::App &bench);

} // namespace weft
