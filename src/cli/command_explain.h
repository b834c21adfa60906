// weft explain CASE
#pragma once

#include <CLI/CLI.hpp>

#include "ranks/communicator.h"

namespace weft {

// `ranks`: that share the work; null: this process is alone.
void add_explain_command(CLI::App &app, Communicator *ranks);

} // namespace weft
