// Ends that are asked for, of all ranks or of none.
#pragma once

#include "ranks/communicator.h"

namespace weft {

// All: whether an end was asked for, of one rank or all: then it is of all, and interrupted() says
// so everywhere. Null: this rank is alone.
bool interrupted(Communicator *ranks);

} // namespace weft
