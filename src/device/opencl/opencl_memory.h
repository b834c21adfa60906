// Memory of an OpenCL device. On a CPU it is this process's own memory in huge pages, shared with
// the device without a copy.
#pragma once

#include <memory>

#include "device/memory_pool.h"
#include "device/opencl/opencl_api.h"

namespace weft {

// The context and queue, shared by everything that must outlive neither.
struct OpenClSession {
  cl_device_id device = nullptr;
  OpenClContext context;
  OpenClQueue queue; // in order
};

// On a CPU: `from` itself, of `bytes` > 0.
MemoryBlock shared_block(const OpenClSession &session, const void *from, std::uint64_t bytes);

std::unique_ptr<MemorySource> opencl_memory(std::shared_ptr<OpenClSession> session, bool is_cpu);

} // namespace weft
