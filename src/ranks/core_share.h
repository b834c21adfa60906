// The cores of a machine, shared out to the ranks that run on it.
#pragma once

#include "ranks/communicator.h"

namespace weft {

// Cores that this process may run on (taskset, a launcher's binding, a batch system).
int allowed_cores();

// All: of those, this rank's share: ranks of a machine that may run on the same cores have equal
// shares, of one core at least. Alone: all of them.
int core_share(Communicator *ranks);

} // namespace weft
