// weft bench NAME: tables of speed, with the machine's limits measured in the same run.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_bench_command(CLI::App &app);

} // namespace weft
