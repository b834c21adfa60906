// The kernels for prescribed dofs.
#pragma once

#include "base/precision.h"
#include "device/device.h"

namespace weft {

// kernels/fem/constrain.kernel.
Program constrain_program(Device &device, Precision precision);

} // namespace weft
