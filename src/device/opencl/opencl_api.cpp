#include "device/opencl/opencl_api.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft {

std::string opencl_status_name(cl_int status) {
  static const std::pair<cl_int, const char *> names[] = {
      {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
      {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
      {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
      {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
      {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
      {CL_MAP_FAILURE, "CL_MAP_FAILURE"},
      {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
      {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
      {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
      {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
      {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
      {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
      {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
      {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
      {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
      {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
      {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
  };
  for (const auto &[value, name] : names)
    if (value == status)
      return name;
  return fmt::format("status {}", status);
}

void check_opencl(cl_int status, const char *call) {
  if (status != CL_SUCCESS)
    throw Error(ErrorKind::system, {.what = fmt::format("the OpenCL call {} failed", call),
                                    .found = opencl_status_name(status)});
}

std::string opencl_device_text(cl_device_id device, cl_device_info key) {
  std::size_t size = 0;
  check_opencl(clGetDeviceInfo(device, key, 0, nullptr, &size), "clGetDeviceInfo");
  std::string text(size, '\0');
  check_opencl(clGetDeviceInfo(device, key, size, text.data(), nullptr), "clGetDeviceInfo");
  return text.c_str(); // without the terminating zero
}

std::string opencl_platform_text(cl_platform_id platform, cl_platform_info key) {
  std::size_t size = 0;
  check_opencl(clGetPlatformInfo(platform, key, 0, nullptr, &size), "clGetPlatformInfo");
  std::string text(size, '\0');
  check_opencl(clGetPlatformInfo(platform, key, size, text.data(), nullptr), "clGetPlatformInfo");
  return text.c_str();
}

} // namespace weft
