// Which OpenCL devices there are and what they can do.
#pragma once

#include <filesystem>
#include <vector>

#include "device/device.h"
#include "device/opencl/opencl_api.h"

namespace weft {

struct OpenClDeviceEntry {
  cl_device_id id = nullptr;
  bool is_pocl = false;
  DeviceInfo info;
};

// `as_gpus`: CPUs are taken for GPUs, as WEFT_GPU_SHAPE=1 has it.
std::vector<OpenClDeviceEntry> find_opencl_devices(bool as_gpus = false);

// A simulator that looks for races, and reads of what nobody wrote.
bool is_oclgrind(const DeviceInfo &info);

// Threads that drivers began in this process when they were first asked for devices: PoCL's do the
// work of its CPU device.
const std::vector<int> &opencl_threads();

// Where PoCL keeps its files.
std::filesystem::path pocl_folder();

// Whether the user lets PoCL itself keep what it compiles, by naming its directory in
// POCL_CACHE_DIR.
bool pocl_keeps_kernels();
// The folder of this process that PoCL keeps its files in otherwise.
const std::string &pocl_scratch();

} // namespace weft
