#include "device/host/host_device.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/system/processor.h"
#include "device/host/host_program.h"
#include "device/memory_pool.h"

namespace weft {

namespace {

constexpr std::size_t alignment = 128; // of the widest lane

class HostMemory : public MemorySource {
public:
  MemoryBlock acquire(std::uint64_t bytes) override {
    void *address = nullptr;
    if (posix_memalign(&address, alignment, bytes) != 0)
      throw Error(ErrorKind::system, {.what = "out of memory"});
    return {.bytes = bytes, .handle = address, .host = address};
  }
  void release(const MemoryBlock &block) override { std::free(block.host); }
  void finish() override {}
};

class HostDevice : public Device {
public:
  explicit HostDevice(const HostOptions &options)
      : options_(options),
        pool_(std::make_shared<MemoryPool>(
            std::make_unique<HostMemory>(),
            MemoryLimits{.device = "host",
                         .memory_bytes = std::numeric_limits<std::int64_t>::max(),
                         .max_allocation_bytes = std::numeric_limits<std::int64_t>::max(),
                         .exact_sizes = true})) {
    info_.selector = info_.backend = info_.name = info_.vendor = "host";
    info_.architecture = processor_architecture();
    info_.driver = WEFT_HOST_COMPILER_VERSION;
    info_.identity = "host";
    info_.is_cpu = !options.gpu;
    info_.compute_units = 1;
    info_.memory_bytes = info_.max_allocation_bytes = std::numeric_limits<std::int64_t>::max();
    info_.local_memory_bytes = std::uint64_t{1} << 20;
    info_.max_work_group = 1024;
    info_.native_lanes_f64 = options.gpu ? 1 : 8;
  }

  const DeviceInfo &info() const override { return info_; }

  Buffer allocate(std::uint64_t bytes, const char *purpose) override {
    Buffer buffer = pool_->allocate(bytes, purpose);
    std::memset(block_of(buffer).host, 0xff, bytes); // NaN in every precision
    return buffer;
  }
  std::uint64_t allocated_bytes() const override { return pool_->allocated_bytes(); }
  std::uint64_t peak_allocated_bytes() const override { return pool_->peak_allocated_bytes(); }

  void write(const Buffer &to, const void *from, std::uint64_t bytes,
             std::uint64_t offset) override {
    if (bytes > 0)
      std::memcpy(address(to, bytes, offset), from, bytes);
  }
  void read(const Buffer &from, void *to, std::uint64_t bytes, std::uint64_t offset) override {
    if (bytes > 0)
      std::memcpy(to, address(from, bytes, offset), bytes);
  }
  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes, std::uint64_t from_offset,
            std::uint64_t to_offset) override {
    if (bytes > 0)
      std::memcpy(address(to, bytes, to_offset), address(from, bytes, from_offset), bytes);
  }
  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) override {
    if (bytes > 0)
      std::memset(address(buffer, bytes, offset), 0, bytes);
  }

  Program build(const ProgramSource &source) override {
    return std::make_shared<HostProgram>(source, options_, cache_);
  }
  void launch(const Program &program, const std::string &kernel, Launch size,
              const std::vector<KernelArgument> &arguments) override {
    require(program != nullptr, "a kernel is launched before its program is built");
    auto &host_program = static_cast<HostProgram &>(*program);
    if (options_.count)
      counted_[kernel] += host_program.run_counted(kernel, size, arguments, warp_counts_[kernel]);
    else
      host_program.run(kernel, size, arguments);
  }
  void finish() override {}

  std::map<std::string, KernelCost> take_counted_costs() { return std::exchange(counted_, {}); }
  std::map<std::string, WarpCounts> take_warp_counts() { return std::exchange(warp_counts_, {}); }

private:
  static char *address(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) {
    return static_cast<char *>(block_of(buffer, bytes, offset).host) + offset;
  }

  HostOptions options_;
  DeviceInfo info_;
  std::shared_ptr<MemoryPool> pool_;
  BinaryCache cache_;
  std::map<std::string, KernelCost> counted_;     // by kernel
  std::map<std::string, WarpCounts> warp_counts_; // the same
};

} // namespace

bool sanitizers_run() {
  return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
}

std::unique_ptr<Device> open_host_device(const HostOptions &options) {
  if (options.sanitize && !sanitizers_run())
    throw Error(ErrorKind::unsupported,
                {.what = "sanitized kernels in a process without AddressSanitizer",
                 .remedy = "configure with -DWEFT_SANITIZE=ON"});
  HostOptions chosen = options;
  chosen.count = options.count || options.warps; // unique bytes beside sectors
  return std::make_unique<HostDevice>(chosen);
}

std::map<std::string, KernelCost> take_counted_costs(Device &host_device) {
  return static_cast<HostDevice &>(host_device).take_counted_costs();
}

std::map<std::string, WarpCounts> take_warp_counts(Device &host_device) {
  return static_cast<HostDevice &>(host_device).take_warp_counts();
}

} // namespace weft
