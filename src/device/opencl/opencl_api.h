// Owning handles and checked calls over the OpenCL C API.
#pragma once

// clCreateCommandQueue is what every driver since OpenCL 1.0 has.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <string>
#include <utility>
#include <vector>

namespace weft {

// Throws `system` naming the call and the status when it is not CL_SUCCESS.
void check_opencl(cl_int status, const char *call);
std::string opencl_status_name(cl_int status);

template <typename T, cl_int (*release)(T)> class OpenClHandle {
public:
  OpenClHandle() = default;
  explicit OpenClHandle(T value) : value_(value) {}
  OpenClHandle(OpenClHandle &&other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  OpenClHandle &operator=(OpenClHandle &&other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~OpenClHandle() {
    if (value_)
      release(value_);
  }
  T get() const { return value_; }
  explicit operator bool() const { return value_ != nullptr; }

private:
  T value_ = nullptr;
};

using OpenClContext = OpenClHandle<cl_context, clReleaseContext>;
using OpenClQueue = OpenClHandle<cl_command_queue, clReleaseCommandQueue>;
using OpenClProgramHandle = OpenClHandle<cl_program, clReleaseProgram>;
using OpenClKernel = OpenClHandle<cl_kernel, clReleaseKernel>;

template <typename T> T opencl_device_value(cl_device_id device, cl_device_info key) {
  T value{};
  check_opencl(clGetDeviceInfo(device, key, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}
std::string opencl_device_text(cl_device_id device, cl_device_info key);
std::string opencl_platform_text(cl_platform_id platform, cl_platform_info key);

} // namespace weft
