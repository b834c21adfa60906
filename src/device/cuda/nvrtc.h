// NVIDIA's run-time compiler, opened when first asked for. It needs no GPU, so the CUDA text of
// every kernel can be compiled wherever the library is installed.
#pragma once

#include <string>
#include <vector>

#include "device/device.h"

namespace weft {

// Opens the library at this path and no other: for tests, which compile with a version of their
// own, before any of the functions below is called.
void use_nvrtc(const std::string &path);

bool nvrtc_available();
std::string nvrtc_version(); // "13.0"; empty where it is not available

// Compute capabilities it compiles for, ascending: 75, 80, ..., 90.
std::vector<int> nvrtc_architectures();

// A binary for `architecture` "sm_90", or PTX for "compute_80". Throws as Device::build() does, and
// `system` where NVRTC is not installed.
std::string compile_cuda(const ProgramSource &source, const std::string &architecture);

// What a kernel takes of a multiprocessor, as the assembler says.
struct CudaKernelUse {
  std::string kernel;
  int registers = 0; // 32 bits each, for each thread
  int stack_bytes =
      0; // of local memory, for each thread: arrays indexed at run time, spilled values
  int spilled_bytes = 0; // of values that the registers do not hold, stores and loads together
  int shared_bytes = 0;  // for each block
};

// Of the kernels of a text, in no order. Throws as compile_cuda() does.
std::vector<CudaKernelUse> cuda_kernel_use(const ProgramSource &source,
                                           const std::string &architecture);

// compile_cuda() for a text without a name, as tests want it.
std::string compile_cuda_text(const std::string &text, const std::string &architecture = "sm_90");

} // namespace weft
