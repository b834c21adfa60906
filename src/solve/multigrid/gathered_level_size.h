// From what size on ranks share a level of aggregates.
#pragma once

#include <cstdint>

#include "device/device.h"
#include "ranks/communicator.h"

namespace weft {

// All: up to so many unknowns in all, every rank computes with the whole of a level: the messages
// of a cycle that this saves take longer than what all ranks then do the same. From counts alone,
// so that it is the same on every run.
std::int64_t gathered_level_size(const DeviceInfo &device, Communicator &ranks);

} // namespace weft
