// Norms of vectors that ranks share.
#pragma once

#include "ranks/communicator.h"

namespace weft {

// All: the 2-norm of what all ranks have, from that of each one's own; NaN or infinity where one
// has it. Null: this rank is alone.
double norm_of_ranks(Communicator *ranks, double own);

} // namespace weft
