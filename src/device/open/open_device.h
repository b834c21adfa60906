// The devices of this machine. Threads may ask for them at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"

namespace weft {

// All devices of this machine: OpenCL first, then CUDA.
std::vector<DeviceInfo> list_devices();

// `selector`: "opencl", "opencl:1", "cuda", "cuda:0" or part of a device's name; empty = the
// default (the first OpenCL device). `threads`: cores of a CPU device, 0 = all; must be set before
// the first OpenCL call of the process. `which`: where several devices of one name match, that one
// of them, counted round: processes of a machine have one each. Throws `system`, listing the
// devices, when none matches; `place` says where the selector stands.
std::unique_ptr<Device> open_device(const std::string &selector, int threads = 0,
                                    const std::string &place = "--device", int which = 0);

} // namespace weft
