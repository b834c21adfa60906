// The C++ interface of Weft.
#pragma once

#include "weft/interruption.h"
#include "weft/multigrid.h"
#include "weft/problem.h"

namespace weft {

// Problem(case_file, options).
WEFT_EXPORT Problem read(const std::string &case_file, const ProblemOptions &options = {});

} // namespace weft
