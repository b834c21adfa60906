// How many lanes kernels compute at once on a device.
#pragma once

#include "base/precision.h"
#include "device/device.h"

namespace weft {

// The widest vector of a precision; one lane on GPUs.
int default_lanes(const DeviceInfo &device, Precision precision);

} // namespace weft
