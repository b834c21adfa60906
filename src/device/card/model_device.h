// A card that is not there: kernels as for a GPU run on a CPU, so that a run takes its course, and
// what each launch would take of the card is told beside it. Times are the CPU's.
#pragma once

#include <memory>

#include "device/card/card.h"
#include "device/profiling_device.h"

namespace weft {

// On the first OpenCL device, taken for a GPU, to be watched. Its info() is that of `card`, as far
// as kernels are chosen by it. launch_use() counts in some of a launch's groups, with programs made
// for the host; where the host has no compiler, a message says so once and counts are left out.
std::unique_ptr<ProfilingDevice> open_watched_model(const Card &card);

} // namespace weft
