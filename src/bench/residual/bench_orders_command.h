// The command line of weft bench orders.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_bench_orders(CLI::App &bench);

} // namespace weft
