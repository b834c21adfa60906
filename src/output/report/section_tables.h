// What changed over the steps of a transient run, from the tables that it left.
#pragma once

#include <string>

namespace weft {

// Plots of functionals.csv and probes.csv of a run's folder; empty where there are none. Errors:
// input (a damaged table).
std::string tables_html(const std::string &folder);

} // namespace weft
