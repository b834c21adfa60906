// The ranks that a launcher (mpirun, mpiexec, srun) started.
#pragma once

#include <memory>

#include "ranks/communicator.h"

namespace weft {

// Null where this process is alone: without a launcher, or of one that started one process. Looks
// at the variables that launchers set, and opens the module of MPI where there are others.
// Throws `system` where there are others and no module, or MPI does not start or knows another
// number of ranks, saying what to do: copies of one run that know nothing of one another never
// start. Once a process.
std::unique_ptr<Communicator> open_communicator();

// Processes that the launcher says it has started; 1 without one.
int num_launched_processes();
// This one's number among them, by the launcher.
int launched_rank();

} // namespace weft
