// How many threads of a kernel a multiprocessor holds at once, from what the kernel takes of it.
#pragma once

#include "device/cuda/nvrtc.h"

namespace weft {

// What a multiprocessor has: table "Technical Specifications per Compute Capability" of the CUDA
// C++ Programming Guide 12.9. Registers come in units of 256 a warp, shared memory in units of 128
// bytes.
struct MultiprocessorLimits {
  int warps = 64;
  int blocks = 32;
  int registers = 65536;
  int shared_bytes = 0;
  int reserved_shared_bytes = 0; // of each block, for the system
};

// Of compute capability 10*major + minor, 50 and above; for one that is newer than the table, the
// newest in it.
MultiprocessorLimits multiprocessor_limits(int capability);

// Threads of blocks of `group_size` that run at once, over those that the multiprocessor has room
// for: 0 where not one block fits, at most 1.
double occupancy(const CudaKernelUse &use, int group_size, const MultiprocessorLimits &limits);

} // namespace weft
