// weft compile-ahead: a worker of weft bench, which compiles kernels into the cache that both
// share. Hidden: no one calls it by hand.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_compile_ahead_command(CLI::App &app);

} // namespace weft
