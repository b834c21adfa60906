// The part of the CUDA driver API in use, found at run time in libcuda.so.1: building needs no
// CUDA headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

using CudaContext = struct CudaContextTag *;
using CudaModule = struct CudaModuleTag *;
using CudaFunction = struct CudaFunctionTag *;
using CudaStream = struct CudaStreamTag *;
using CudaGraph = struct CudaGraphTag *;
using CudaGraphExec = struct CudaGraphExecTag *;
using CudaAddress = std::uint64_t; // CUdeviceptr
using CudaDeviceId = int;

enum class CudaAttribute : int { // CUdevice_attribute
  max_threads_per_block = 1,
  max_shared_memory_per_block = 8,
  multiprocessor_count = 16,
  l2_cache_size = 38,
  compute_capability_major = 75,
  compute_capability_minor = 76,
};

enum class CudaCapture : int { // CUstreamCaptureMode
  relaxed = 2,                 // calls that are no part of it stay allowed
};

// Each member is the function of the same name in cuda.h, versioned ones with their suffix. Those
// of graphs are null where the driver is older than CUDA 11.4.
struct CudaDriver {
  int (*cuDriverGetVersion)(int *version);
  int (*cuDeviceGetCount)(int *count);
  int (*cuDeviceGet)(CudaDeviceId *device, int ordinal);
  int (*cuDeviceGetName)(char *name, int length, CudaDeviceId device);
  int (*cuDeviceGetAttribute)(int *value, CudaAttribute attribute, CudaDeviceId device);
  int (*cuDeviceTotalMem_v2)(std::size_t *bytes, CudaDeviceId device);
  int (*cuDevicePrimaryCtxRetain)(CudaContext *context, CudaDeviceId device);
  int (*cuDevicePrimaryCtxRelease_v2)(CudaDeviceId device);
  int (*cuCtxSetCurrent)(CudaContext context);
  int (*cuStreamCreate)(CudaStream *stream, unsigned flags);
  int (*cuStreamDestroy_v2)(CudaStream stream);
  int (*cuStreamSynchronize)(CudaStream stream);
  int (*cuMemAlloc_v2)(CudaAddress *address, std::size_t bytes);
  int (*cuMemFree_v2)(CudaAddress address);
  int (*cuMemcpyHtoDAsync_v2)(CudaAddress to, const void *from, std::size_t bytes, CudaStream);
  int (*cuMemcpyDtoHAsync_v2)(void *to, CudaAddress from, std::size_t bytes, CudaStream);
  int (*cuMemcpyDtoDAsync_v2)(CudaAddress to, CudaAddress from, std::size_t bytes, CudaStream);
  int (*cuMemsetD8Async)(CudaAddress to, unsigned char value, std::size_t bytes, CudaStream);
  int (*cuModuleLoadData)(CudaModule *module, const void *image);
  int (*cuModuleUnload)(CudaModule module);
  int (*cuModuleGetFunction)(CudaFunction *function, CudaModule module, const char *name);
  int (*cuLaunchKernel)(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CudaStream stream, void **arguments, void **extra);
  int (*cuStreamBeginCapture_v2)(CudaStream stream, CudaCapture mode);
  int (*cuStreamEndCapture)(CudaStream stream, CudaGraph *graph);
  int (*cuGraphInstantiateWithFlags)(CudaGraphExec *exec, CudaGraph graph, std::uint64_t flags);
  int (*cuGraphLaunch)(CudaGraphExec exec, CudaStream stream);
  int (*cuGraphDestroy)(CudaGraph graph);
  int (*cuGraphExecDestroy)(CudaGraphExec exec);
  int (*cuGetErrorName)(int status, const char **name);
};

// Whether work can be recorded as a graph.
bool has_graphs(const CudaDriver &driver);

// Null where there is no driver, or it finds no device.
const CudaDriver *cuda_driver();

// Throws `system` naming the call and the status when it is not CUDA_SUCCESS.
void check_cuda(int status, const char *call);

} // namespace weft
