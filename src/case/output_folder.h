// Where the results of a case go.
#pragma once

#include "case/case.h"

namespace weft {

// Throws an input error where the folder that the case names for its output lies neither below the
// case's own nor below the working folder, all links resolved, or holds links that lead elsewhere.
// It may lie anywhere with trust, and where the command line names it (--set).
void check_output_folder(const Case &c);

} // namespace weft
