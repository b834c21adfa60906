// The summary of a run on the terminal.
#pragma once

#include <string>
#include <vector>

#include "output/results.h"

namespace weft {

// "cg with multigrid in f16, assembled (chosen)"; `library`: of a direct solver, where it is known.
// Empty where no systems are solved.
std::string solver_in_words(const SolverRecord &solver, const std::string &library = {});

// Size, solver, functionals, errors, time, and where the files lie; some ten lines.
std::string summary_text(const RunRecord &record, const std::vector<std::string> &files);

} // namespace weft
