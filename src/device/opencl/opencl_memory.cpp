#include "device/opencl/opencl_memory.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <new>

#include "base/error.h"
#include "base/pages.h"
#include "base/parallel.h"
#include "device/wait_watch.h"

namespace weft {

namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t huge_page_bytes = std::uint64_t{2} << 20;

// Aligned to a page.
void *allocate_small(std::uint64_t bytes) {
  void *address =
      std::aligned_alloc(page_bytes, (bytes + page_bytes - 1) / page_bytes * page_bytes);
  if (!address)
    throw std::bad_alloc();
  return address;
}

// Huge pages save most of the address translation of gathers and streams (30% of a sparse
// matrix-vector product); all threads touch them first, page by page, which the kernel answers by
// zeroing them.
void *allocate_host(std::uint64_t bytes) {
  void *address = nullptr;
  try {
    address = bytes >= huge_page_bytes ? allocate_pages(bytes) : allocate_small(bytes);
  } catch (const std::bad_alloc &) {
    throw Error(ErrorKind::system,
                {.what = "out of memory", .found = fmt::format("{} bytes asked for", bytes)});
  }
  if (bytes >= huge_page_bytes)
    parallel_chunks(static_cast<std::int64_t>((bytes + huge_page_bytes - 1) / huge_page_bytes), 1,
                    [&](std::int64_t begin, std::int64_t end, int) {
                      auto *bytes_of = static_cast<volatile char *>(address);
                      const std::uint64_t last = std::min(end * huge_page_bytes, bytes);
                      for (std::uint64_t at = begin * huge_page_bytes; at < last; at += page_bytes)
                        bytes_of[at] = 0;
                    });
  return address;
}

void free_host(void *address, std::uint64_t bytes) {
  if (bytes >= huge_page_bytes)
    free_pages(address, bytes);
  else
    std::free(address);
}

class OpenClMemory : public MemorySource {
public:
  OpenClMemory(std::shared_ptr<OpenClSession> session, bool is_cpu)
      : session_(std::move(session)), is_cpu_(is_cpu) {}

  MemoryBlock acquire(std::uint64_t bytes) override {
    MemoryBlock block{.bytes = bytes};
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    if (is_cpu_) {
      block.host = allocate_host(bytes);
      flags |= CL_MEM_USE_HOST_PTR;
    }
    cl_int status = CL_SUCCESS;
    block.handle = clCreateBuffer(session_->context.get(), flags, bytes, block.host, &status);
    if (status != CL_SUCCESS && block.host)
      free_host(block.host, bytes);
    check_opencl(status, "clCreateBuffer");
    return block;
  }
  void release(const MemoryBlock &block) override {
    clReleaseMemObject(static_cast<cl_mem>(block.handle));
    if (!block.is_shared && block.host)
      free_host(block.host, block.bytes);
  }
  void finish() override {
    const DeviceWait wait;
    clFinish(session_->queue.get());
  }

private:
  std::shared_ptr<OpenClSession> session_;
  bool is_cpu_;
};

} // namespace

MemoryBlock shared_block(const OpenClSession &session, const void *from, std::uint64_t bytes) {
  // Kernels only read it.
  MemoryBlock block{.bytes = bytes, .host = const_cast<void *>(from), .is_shared = true};
  cl_int status = CL_SUCCESS;
  block.handle = clCreateBuffer(session.context.get(), CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                bytes, block.host, &status);
  check_opencl(status, "clCreateBuffer");
  return block;
}

std::unique_ptr<MemorySource> opencl_memory(std::shared_ptr<OpenClSession> session, bool is_cpu) {
  return std::make_unique<OpenClMemory>(std::move(session), is_cpu);
}

} // namespace weft
