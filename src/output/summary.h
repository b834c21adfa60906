// The summary of a run on the terminal.
#pragma once

#include <string>
#include <vector>

#include "output/results.h"

namespace weft {

// Size, solver, functionals, errors, time, and where the files lie; some ten lines.
std::string summary_text(const RunRecord &record, const std::vector<std::string> &files);

} // namespace weft
