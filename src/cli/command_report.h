// weft report CASE|FOLDER: a run's results as a page.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

void add_report_command(CLI::App &app);

} // namespace weft
