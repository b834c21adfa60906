// The OpenCL back end; users include device/device.h.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"

namespace weft {

// Before the first OpenCL call: tells PoCL the number of threads (0 = all cores), and to keep its
// files apart from those of other processes (what is worth keeping is in the binary cache). Later
// calls change nothing.
void configure_opencl(int threads);

// In the order of the drivers; `selector` is "opencl:<index>".
std::vector<DeviceInfo> list_opencl_devices();

// `as_gpu`: a CPU is taken for a GPU, as WEFT_GPU_SHAPE=1 has it.
std::unique_ptr<Device> open_opencl_device(int index, bool as_gpu = false);

} // namespace weft
