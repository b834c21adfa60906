#include "device/cuda/cuda_driver.h"

#include <fmt/format.h>
#include <optional>

#include "base/error.h"
#include "base/system/dynamic_library.h"

namespace weft {

namespace {

std::optional<CudaDriver> open_driver() {
  // Never closed: the driver keeps threads of its own.
  static const std::unique_ptr<DynamicLibrary> library =
      DynamicLibrary::open({"libcuda.so.1", "libcuda.so"});
  int (*cuInit)(unsigned) = nullptr;
  if (!library || !library->load(cuInit, "cuInit") || cuInit(0) != 0)
    return std::nullopt;
  const DynamicLibrary &l = *library;
  CudaDriver d{};
  const bool complete =
      l.load(d.cuDriverGetVersion, "cuDriverGetVersion") &&
      l.load(d.cuDeviceGetCount, "cuDeviceGetCount") && l.load(d.cuDeviceGet, "cuDeviceGet") &&
      l.load(d.cuDeviceGetName, "cuDeviceGetName") &&
      l.load(d.cuDeviceGetAttribute, "cuDeviceGetAttribute") &&
      l.load(d.cuDeviceTotalMem_v2, "cuDeviceTotalMem_v2") &&
      l.load(d.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain") &&
      l.load(d.cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease_v2") &&
      l.load(d.cuCtxSetCurrent, "cuCtxSetCurrent") && l.load(d.cuStreamCreate, "cuStreamCreate") &&
      l.load(d.cuStreamDestroy_v2, "cuStreamDestroy_v2") &&
      l.load(d.cuStreamSynchronize, "cuStreamSynchronize") &&
      l.load(d.cuMemAlloc_v2, "cuMemAlloc_v2") && l.load(d.cuMemFree_v2, "cuMemFree_v2") &&
      l.load(d.cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync_v2") &&
      l.load(d.cuMemcpyDtoHAsync_v2, "cuMemcpyDtoHAsync_v2") &&
      l.load(d.cuMemcpyDtoDAsync_v2, "cuMemcpyDtoDAsync_v2") &&
      l.load(d.cuMemsetD8Async, "cuMemsetD8Async") &&
      l.load(d.cuModuleLoadData, "cuModuleLoadData") &&
      l.load(d.cuModuleUnload, "cuModuleUnload") &&
      l.load(d.cuModuleGetFunction, "cuModuleGetFunction") &&
      l.load(d.cuLaunchKernel, "cuLaunchKernel") && l.load(d.cuGetErrorName, "cuGetErrorName");
  if (!complete)
    return std::nullopt;
  if (!l.load(d.cuStreamBeginCapture_v2, "cuStreamBeginCapture_v2") ||
      !l.load(d.cuStreamEndCapture, "cuStreamEndCapture") ||
      !l.load(d.cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags") ||
      !l.load(d.cuGraphLaunch, "cuGraphLaunch") || !l.load(d.cuGraphDestroy, "cuGraphDestroy") ||
      !l.load(d.cuGraphExecDestroy, "cuGraphExecDestroy"))
    d.cuGraphLaunch = nullptr; // all or none
  return d;
}

} // namespace

bool has_graphs(const CudaDriver &driver) {
  return driver.cuGraphLaunch != nullptr;
}

const CudaDriver *cuda_driver() {
  static const std::optional<CudaDriver> driver = open_driver();
  return driver ? &*driver : nullptr;
}

void check_cuda(int status, const char *call) {
  if (status == 0)
    return;
  const char *name = nullptr;
  cuda_driver()->cuGetErrorName(status, &name);
  throw Error(ErrorKind::system,
              {.what = fmt::format("the CUDA call {} failed", call),
               .found = name ? std::string(name) : fmt::format("status {}", status)});
}

} // namespace weft
