// The CUDA back end; users include device/device.h.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"

namespace weft {

// In the driver's order; `selector` is "cuda:<index>". Empty where there is no CUDA driver.
std::vector<DeviceInfo> list_cuda_devices();

std::unique_ptr<Device> open_cuda_device(int index);

} // namespace weft
