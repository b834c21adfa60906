// weft devices: what --device can name.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_devices_command(CLI::App &app);

} // namespace weft
