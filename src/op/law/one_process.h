// What is not shared among ranks yet, refused by name.
#pragma once

#include "op/problem/discretisation.h"

namespace weft {

// The discretisation of one process, given back. Errors (unsupported): it has ranks, which all
// throw alike and without a word to one another; `what` is not for them, and `where` asked for.
const Discretisation &of_one_process(const Discretisation &d, const char *what, const char *where);

} // namespace weft
