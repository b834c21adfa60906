#include "device/opencl/opencl_device.h"

#include <cstring>
#include <fmt/format.h>
#include <optional>

#include "base/error.h"
#include "base/names.h"
#include "device/opencl/opencl_info.h"
#include "device/opencl/opencl_memory.h"
#include "device/opencl/opencl_program.h"
#include "device/opencl/pocl_turn.h"
#include "device/recent_programs.h"
#include "device/threads_apart.h"
#include "device/wait_watch.h"

namespace weft {

namespace {

cl_mem memory_of(const MemoryBlock &block) {
  return static_cast<cl_mem>(block.handle);
}

class OpenClDevice : public Device {
public:
  explicit OpenClDevice(const OpenClDeviceEntry &entry)
      : info_(entry.info), is_pocl_(entry.is_pocl), session_(std::make_shared<OpenClSession>()),
        cache_(is_pocl_ && pocl_keeps_kernels() ? nullptr : std::make_shared<BinaryCache>()) {
    cl_int status = CL_SUCCESS;
    session_->device = entry.id;
    session_->context =
        OpenClContext(clCreateContext(nullptr, 1, &entry.id, nullptr, nullptr, &status));
    check_opencl(status, "clCreateContext");
    session_->queue =
        OpenClQueue(clCreateCommandQueue(session_->context.get(), entry.id, 0, &status));
    check_opencl(status, "clCreateCommandQueue");
    const std::uint64_t keep_bytes =
        info_.is_cpu ? std::uint64_t{64} << 20 : info_.memory_bytes / 8;
    pool_ = std::make_shared<MemoryPool>(opencl_memory(session_, info_.is_cpu),
                                         MemoryLimits{info_.selector + " (" + info_.name + ")",
                                                      info_.memory_bytes,
                                                      info_.max_allocation_bytes, keep_bytes});
  }
  ~OpenClDevice() override {
    const DeviceWait wait;
    clFinish(queue());
    PoclTurn::end(queue());
  }

  const DeviceInfo &info() const override { return info_; }

  Buffer allocate(std::uint64_t bytes, const char *purpose) override {
    Buffer buffer = pool_->allocate(bytes, purpose);
#ifndef NDEBUG
    const cl_uint all_ones = ~0u; // NaN in every precision
    const std::uint64_t size = block_of(buffer).bytes;
    check_opencl(clEnqueueFillBuffer(queue(), memory_of(block_of(buffer)), &all_ones,
                                     sizeof all_ones, 0, size, 0, nullptr, nullptr),
                 "clEnqueueFillBuffer");
#endif
    return buffer;
  }
  Buffer share(const void *from, std::uint64_t bytes, const char *purpose) override {
    if (!info_.is_cpu || bytes == 0)
      return Device::share(from, bytes, purpose);
    return pool_->share(shared_block(*session_, from, bytes));
  }
  std::uint64_t allocated_bytes() const override {
    return pool_->allocated_bytes();
  }
  std::uint64_t peak_allocated_bytes() const override {
    return pool_->peak_allocated_bytes();
  }

  void write(const Buffer &to, const void *from, std::uint64_t bytes,
             std::uint64_t offset) override {
    const MemoryBlock &block = block_of(to, bytes, offset);
    if (bytes == 0)
      return;
    if (block.host) {
      void *mapped = map(block, bytes, offset, CL_MAP_WRITE_INVALIDATE_REGION);
      std::memcpy(mapped, from, bytes);
      unmap(block, mapped);
    } else {
      const DeviceWait wait;
      check_opencl(clEnqueueWriteBuffer(queue(), memory_of(block), CL_TRUE, offset, bytes, from, 0,
                                        nullptr, nullptr),
                   "clEnqueueWriteBuffer");
    }
  }

  void read(const Buffer &from, void *to, std::uint64_t bytes, std::uint64_t offset) override {
    const MemoryBlock &block = block_of(from, bytes, offset);
    if (bytes == 0)
      return;
    if (block.host) {
      void *mapped = map(block, bytes, offset, CL_MAP_READ);
      std::memcpy(to, mapped, bytes);
      unmap(block, mapped);
    } else {
      const DeviceWait wait;
      check_opencl(clEnqueueReadBuffer(queue(), memory_of(block), CL_TRUE, offset, bytes, to, 0,
                                       nullptr, nullptr),
                   "clEnqueueReadBuffer");
    }
  }

  std::shared_ptr<const void> view(const Buffer &from, std::uint64_t bytes) override {
    const MemoryBlock &block = block_of(from, bytes, 0);
    if (!block.host || bytes == 0)
      return Device::view(from, bytes);
    void *mapped = map(block, bytes, 0, CL_MAP_READ);
    return {mapped, [this, from](void *address) { unmap(block_of(from), address); }};
  }
  void write_by(const Buffer &to, std::uint64_t bytes,
                const std::function<void(void *)> &fill) override {
    const MemoryBlock &block = block_of(to, bytes, 0);
    if (!block.host || bytes == 0)
      return Device::write_by(to, bytes, fill);
    void *mapped = map(block, bytes, 0, CL_MAP_WRITE_INVALIDATE_REGION);
    fill(mapped);
    unmap(block, mapped);
  }

  void *host_memory(const Buffer &buffer) override {
    return info_.is_cpu ? block_of(buffer).host : nullptr;
  }

  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes, std::uint64_t from_offset,
            std::uint64_t to_offset) override {
    const MemoryBlock &source = block_of(from, bytes, from_offset);
    const MemoryBlock &target = block_of(to, bytes, to_offset);
    if (bytes > 0)
      check_opencl(clEnqueueCopyBuffer(queue(), memory_of(source), memory_of(target), from_offset,
                                       to_offset, bytes, 0, nullptr, nullptr),
                   "clEnqueueCopyBuffer");
  }

  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) override {
    const MemoryBlock &block = block_of(buffer, bytes, offset);
    if (bytes == 0)
      return;
    // The widest pattern that divides the range: PoCL writes one pattern at a time.
    static const char zeros[128] = {};
    std::size_t width = sizeof zeros;
    while (bytes % width != 0 || offset % width != 0)
      width /= 2;
    check_opencl(clEnqueueFillBuffer(queue(), memory_of(block), zeros, width, offset, bytes, 0,
                                     nullptr, nullptr),
                 "clEnqueueFillBuffer");
  }

  Program build(const ProgramSource &source) override {
    return programs_.get(source, [&] {
      return std::make_shared<OpenClProgram>(session_, cache_, source, info_, is_pocl_);
    });
  }

  void launch(const Program &program, const std::string &kernel, Launch size,
              const std::vector<KernelArgument> &arguments) override {
    if (size.groups == 0)
      return;
    require(program != nullptr, "a kernel is launched before its program is built");
    if (size.group_size < 1 || size.group_size > info_.max_work_group)
      throw Error(ErrorKind::unsupported,
                  {.what = fmt::format("kernel '{}' in work-groups of this size", kernel),
                   .where = info_.selector,
                   .found = std::to_string(size.group_size),
                   .allowed = fmt::format("1 to {}", info_.max_work_group)});
    const OpenClProgram::Ready ready = static_cast<OpenClProgram &>(*program).kernel(kernel, size);
    set_arguments(ready.kernel, kernel, arguments);
    const auto local = static_cast<std::size_t>(size.group_size);
    const std::size_t global = static_cast<std::size_t>(size.groups) * local;
    std::optional<PoclTurn> turn;
    if (is_pocl_)
      turn.emplace(queue());
    check_opencl(clEnqueueNDRangeKernel(queue(), ready.kernel, 1, nullptr, &global, &local, 0,
                                        nullptr, nullptr),
                 "clEnqueueNDRangeKernel");
    if (ready.turn)
      finish();
    else
      clFlush(queue());
  }

  void load(const Program &program, const std::string &kernel, Launch size) override {
    static_cast<OpenClProgram &>(*program).load(kernel, size);
  }

  void finish() override {
    const DeviceWait wait;
    check_opencl(clFinish(queue()), "clFinish");
  }

  void keep_kernels() override {
    programs_.for_each(
        [](const Program &program) { static_cast<OpenClProgram &>(*program).keep_launched(); });
  }

  std::shared_ptr<const void> keep_threads_apart() override {
    return info_.is_cpu ? std::make_shared<ThreadsApart>(opencl_threads()) : nullptr;
  }

private:
  cl_command_queue queue() const {
    return session_->queue.get();
  }

  // Waits for the work before it: the queue is in order.
  void *map(const MemoryBlock &block, std::uint64_t bytes, std::uint64_t offset,
            cl_map_flags flags) {
    const DeviceWait wait;
    cl_int status = CL_SUCCESS;
    void *mapped = clEnqueueMapBuffer(queue(), memory_of(block), CL_TRUE, flags, offset, bytes, 0,
                                      nullptr, nullptr, &status);
    check_opencl(status, "clEnqueueMapBuffer");
    return mapped;
  }
  void unmap(const MemoryBlock &block, void *mapped) {
    check_opencl(clEnqueueUnmapMemObject(queue(), memory_of(block), mapped, 0, nullptr, nullptr),
                 "clEnqueueUnmapMemObject");
  }

  void set_arguments(cl_kernel handle, const std::string &kernel,
                     const std::vector<KernelArgument> &arguments) {
    for (cl_uint i = 0; i < arguments.size(); ++i) {
      const cl_int status = std::visit(
          [&](const auto &value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Buffer>) {
              cl_mem memory = memory_of(block_of(value));
              // NOLINTNEXTLINE(bugprone-sizeof-expression): of the handle, which is a pointer
              return clSetKernelArg(handle, i, sizeof memory, &memory);
            } else {
              return clSetKernelArg(handle, i, sizeof value, &value);
            }
          },
          arguments[i]);
      if (status != CL_SUCCESS)
        throw Error(ErrorKind::invariant,
                    {.what = fmt::format("argument {} of kernel '{}' does not fit", i, kernel),
                     .found = opencl_status_name(status)});
    }
    cl_uint expected = 0;
    check_opencl(clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof expected, &expected, nullptr),
                 "clGetKernelInfo");
    if (expected != arguments.size())
      throw Error(ErrorKind::invariant,
                  {.what = fmt::format("kernel '{}' is launched with the wrong arguments", kernel),
                   .found = std::to_string(arguments.size()),
                   .allowed = std::to_string(expected)});
  }

  DeviceInfo info_;
  bool is_pocl_;
  std::shared_ptr<OpenClSession> session_;
  std::shared_ptr<BinaryCache> cache_; // null: PoCL keeps kernels
  RecentPrograms programs_;
  std::shared_ptr<MemoryPool> pool_;
};

} // namespace

std::unique_ptr<Device> open_opencl_device(int index, bool as_gpu) {
  const std::vector<OpenClDeviceEntry> devices = find_opencl_devices(as_gpu);
  require(index >= 0 && index < static_cast<int>(devices.size()), "OpenCL device index");
  return std::make_unique<OpenClDevice>(devices[index]);
}

} // namespace weft
