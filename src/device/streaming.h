// Whether stores go past the caches.
#pragma once

#include "device/device.h"

namespace weft {

// Where the state that is read and the one that is written find no room together in the last cache.
bool streams_by_default(double state_bytes, const DeviceInfo &device);

} // namespace weft
