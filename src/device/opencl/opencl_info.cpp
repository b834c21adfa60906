#include "device/opencl/opencl_info.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "base/hash.h"
#include "base/system/compile_room.h"
#include "base/system/processor.h"
#include "base/system/scratch_directory.h"
#include "device/opencl/opencl_api.h"
#include "device/opencl/opencl_device.h"
#include "device/threads_apart.h"

namespace weft {

namespace {

// A simulator of devices is none, and nor is a CPU that shall be taken for a GPU: kernels get
// work-groups of many items, of one lane each, and the host does not see the device's memory.
bool acts_as_cpu(cl_device_id id, const DeviceInfo &info, bool as_gpus) {
  const char *shape = std::getenv("WEFT_GPU_SHAPE");
  return (opencl_device_value<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0 &&
         !is_oclgrind(info) && !as_gpus && !(shape && std::string_view(shape) == "1");
}

DeviceInfo describe(cl_platform_id platform, cl_device_id id, int index, bool as_gpus) {
  DeviceInfo info;
  info.selector = fmt::format("opencl:{}", index);
  info.backend = "opencl";
  info.name = opencl_device_text(id, CL_DEVICE_NAME);
  info.vendor = opencl_device_text(id, CL_DEVICE_VENDOR);
  info.driver = opencl_platform_text(platform, CL_PLATFORM_VERSION) + "; " +
                opencl_device_text(id, CL_DRIVER_VERSION);
  info.is_cpu = acts_as_cpu(id, info, as_gpus);
  info.architecture = info.is_cpu ? processor_architecture() : info.vendor + " " + info.name;
  info.compute_units =
      static_cast<int>(opencl_device_value<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS));
  // A CPU device's buffers are this process's own memory, whatever the driver counts.
  info.memory_bytes = info.is_cpu ? host_memory_bytes()
                                  : opencl_device_value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.max_allocation_bytes = opencl_device_value<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.local_memory_bytes = opencl_device_value<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
  info.last_cache_bytes = info.is_cpu
                              ? last_cache_bytes()
                              : opencl_device_value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  info.core_cache_bytes = info.is_cpu ? core_cache_bytes() : 0;
  info.max_work_group =
      static_cast<int>(opencl_device_value<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  const auto lanes = opencl_device_value<cl_uint>(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE);
  info.has_f64 = lanes > 0;
  info.has_f16 =
      opencl_device_text(id, CL_DEVICE_EXTENSIONS).find("cl_khr_fp16") != std::string::npos;
  info.native_lanes_f64 = info.is_cpu ? std::max(1, static_cast<int>(lanes)) : 1;
  info.identity =
      hash_hex(fmt::format("{}\n{}\n{}\n{}\n{}", info.name, info.vendor, info.driver,
                           info.compute_units, info.is_cpu ? processor_identity() : ""));
  return info;
}

std::string scratch_of_pocl; // the directory that this process gave it
std::vector<int> threads_of_drivers;

} // namespace

bool is_oclgrind(const DeviceInfo &info) {
  return info.driver.find("Oclgrind") != std::string::npos;
}

void configure_opencl(int threads) {
  static bool done = false;
  if (done)
    return;
  done = true;
  if (threads > 0)
    setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(threads).c_str(), 1);
  if (!pocl_keeps_kernels()) {
    scratch_of_pocl = make_scratch_directory();
    setenv("POCL_CACHE_DIR", scratch_of_pocl.c_str(), 1);
  }
}

std::filesystem::path pocl_folder() {
  const char *directory = std::getenv("POCL_CACHE_DIR");
  return directory ? directory : "";
}

bool pocl_keeps_kernels() {
  return !pocl_folder().empty() && pocl_folder() != scratch_of_pocl;
}

const std::string &pocl_scratch() {
  return scratch_of_pocl;
}

const std::vector<int> &opencl_threads() {
  return threads_of_drivers;
}

std::vector<OpenClDeviceEntry> find_opencl_devices(bool as_gpus) {
  static bool loaded = false;
  if (!loaded)
    require_room_for_driver(pocl_folder());
  loaded = true;
  const ThreadsBegun begun;
  cl_uint num_platforms = 0;
  // No driver at all is an error status of the ICD loader, and no devices for us.
  if (clGetPlatformIDs(0, nullptr, &num_platforms) != CL_SUCCESS || num_platforms == 0)
    return {};
  std::vector<cl_platform_id> platforms(num_platforms);
  check_opencl(clGetPlatformIDs(num_platforms, platforms.data(), nullptr), "clGetPlatformIDs");
  std::vector<OpenClDeviceEntry> found;
  for (cl_platform_id platform : platforms) {
    cl_uint num_devices = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &num_devices) != CL_SUCCESS)
      continue;
    std::vector<cl_device_id> ids(num_devices);
    check_opencl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, num_devices, ids.data(), nullptr),
                 "clGetDeviceIDs");
    const bool is_pocl =
        opencl_platform_text(platform, CL_PLATFORM_VERSION).find("PoCL") != std::string::npos ||
        opencl_platform_text(platform, CL_PLATFORM_NAME).find("Portable Computing Language") !=
            std::string::npos;
    for (cl_device_id id : ids)
      found.push_back(
          {id, is_pocl, describe(platform, id, static_cast<int>(found.size()), as_gpus)});
  }
  if (threads_of_drivers.empty())
    threads_of_drivers = begun.threads();
  return found;
}

std::vector<DeviceInfo> list_opencl_devices() {
  configure_opencl(0);
  std::vector<DeviceInfo> infos;
  for (const OpenClDeviceEntry &entry : find_opencl_devices())
    infos.push_back(entry.info);
  return infos;
}

} // namespace weft
