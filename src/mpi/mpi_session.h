// MPI, started for the modules that need it.
#pragma once

namespace weft {

// Starts MPI where nobody has; ends it when the process exits, if it was started here. A process
// started by a launcher (mpirun) joins the others. Nothing is printed, and handlers of signals stay
// as they are. Throws std::runtime_error where MPI doesn't start.
void start_mpi();

} // namespace weft
