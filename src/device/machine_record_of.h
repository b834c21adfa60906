// A device as results name it.
#pragma once

#include "cost/machine_record.h"
#include "device/device.h"

namespace weft {

// With no rate yet.
MachineRecord machine_record(const DeviceInfo &device);

} // namespace weft
