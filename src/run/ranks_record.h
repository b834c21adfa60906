// What a run says of the ranks that shared it.
#pragma once

#include "output/results.h"
#include "run/simulation.h"

namespace weft {

// All. `before`: the communicator's counts as the solve began, `after`: as it ended. None where the
// process is alone.
std::optional<RanksRecord> make_ranks_record(const Simulation &s, const CommunicationCounts &before,
                                             CommunicationCounts after);

} // namespace weft
