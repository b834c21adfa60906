// One interface over OpenCL and CUDA devices. No word of PDEs below this line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/host_array.h"
#include "cost/kernel_cost.h"
#include "cost/launch_use.h"

namespace weft {

struct DeviceInfo {
  std::string selector; // "opencl:0", "cuda:0": what --device takes
  std::string backend;  // "opencl", "cuda", "host"
  std::string name;     // as the driver says
  std::string vendor;
  std::string architecture; // what devices that run the same code alike share: "sm_90"
  std::string driver;       // driver and compiler versions
  std::string identity;     // hash of name, driver, processor family/model/flags/caches/cores
  bool is_cpu = false;
  int compute_units = 0; // threads of a CPU device, multiprocessors of a GPU
  std::uint64_t memory_bytes = 0;
  std::uint64_t max_allocation_bytes = 0;
  std::uint64_t local_memory_bytes = 0;
  std::uint64_t last_cache_bytes = 0; // of the level before memory; 0 where it is not known
  std::uint64_t core_cache_bytes = 0; // of a CPU's core, what it has for itself; 0 as above
  int max_work_group = 0;
  int native_lanes_f64 = 1; // widest vector of doubles: 8 for AVX-512, 4 for AVX2, 1 for GPUs
  bool has_f64 = true;
  bool has_f16 = false; // arithmetic, not only storage
};

// Device memory; move-only handle, freed (returned to the pool) with the last reference.
class BufferImpl {
public:
  virtual ~BufferImpl() = default;
  std::uint64_t bytes = 0;
};
using Buffer = std::shared_ptr<BufferImpl>;

// A program text and what it is compiled with. `name` is the kernel's name for messages and
// profiles; the key of the cache covers text, options, compiler, driver and device identity.
struct ProgramSource {
  std::string name;
  std::string text;                 // complete: dialect, constants, functions, kernel file
  std::vector<std::string> kernels; // entry points in it
};

class ProgramImpl {
public:
  virtual ~ProgramImpl() = default;
};
using Program = std::shared_ptr<ProgramImpl>;

// An argument of a kernel, in its order.
using KernelArgument = std::variant<Buffer, std::int32_t, std::int64_t, double, float>;

struct Launch {
  std::int64_t groups = 1; // number of work-groups
  std::int64_t group_size = 1;
};

// Work that a device has recorded.
class RecordingImpl {
public:
  virtual ~RecordingImpl() = default;
};
using Recording = std::shared_ptr<RecordingImpl>;

// A device with one in-order queue. It and its programs keep compiled kernels when destroyed, which
// must happen before main() returns: drivers do not outlive it. All calls but finish(), read() and
// the first launch of a kernel return before the work is done. Not thread-safe.
class Device {
public:
  virtual ~Device() = default;
  virtual const DeviceInfo &info() const = 0;

  // Uninitialised memory (in debug builds filled with NaN). Throws `system` with the size asked
  // for and the bytes in use when the device has no room; sizes of 0 give a valid empty buffer.
  virtual Buffer allocate(std::uint64_t bytes, const char *purpose) = 0;
  // A buffer of what `from` holds, for kernels to read: the same memory where the device sees the
  // host's, else a copy. `from` has to outlive the buffer, which waits for what is queued when it
  // is freed.
  virtual Buffer share(const void *from, std::uint64_t bytes, const char *purpose);
  virtual std::uint64_t allocated_bytes() const = 0;
  virtual std::uint64_t peak_allocated_bytes() const = 0;

  virtual void write(const Buffer &to, const void *from, std::uint64_t bytes,
                     std::uint64_t offset = 0) = 0; // `from` may be reused on return
  virtual void read(const Buffer &from, void *to, std::uint64_t bytes,
                    std::uint64_t offset = 0) = 0; // waits
  // The same without a copy where the host sees the device's memory (waits for what is queued):
  // what `from` holds, until the pointer is released and before `from` is written; and what
  // fill(to) leaves in all `bytes` bytes that it is given, uninitialised.
  virtual std::shared_ptr<const void> view(const Buffer &from, std::uint64_t bytes);
  virtual void write_by(const Buffer &to, std::uint64_t bytes,
                        const std::function<void(void *to)> &fill);
  // Where the host sees a buffer's memory; null where it does not. For a few scattered values
  // beside queued work, which no call here orders: between finish() and the next launch both see
  // the same, and after it the host leaves alone what the launch touches.
  virtual void *host_memory(const Buffer & /*buffer*/) { return nullptr; }
  // Where a buffer's memory is for others that know this kind of device: as host_memory() or, of
  // CUDA, a CUdeviceptr; null where there is no such thing.
  virtual void *address(const Buffer &buffer) { return host_memory(buffer); }
  virtual void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes,
                    std::uint64_t from_offset = 0, std::uint64_t to_offset = 0) = 0;
  virtual void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset = 0) = 0;

  // Compiles, or takes from the binary cache. Throws `invariant` with the compiler's log and the
  // lines it names when the text does not compile; `input` where the log names a .toml file, which
  // the text does by `#line 12 "case.toml"` before a user's C.
  virtual Program build(const ProgramSource &source) = 0;
  virtual void launch(const Program &program, const std::string &kernel, Launch size,
                      const std::vector<KernelArgument> &arguments) = 0;
  // Fetches what is compiled already of a kernel for such launches, so that the first of them need
  // not: milliseconds, which may be spent while nothing else is to be done.
  virtual void load(const Program & /*program*/, const std::string & /*kernel*/, Launch /*size*/) {}
  // Whether it can record now: it knows how to, and is not recording.
  virtual bool records() const { return false; }
  // What `work` launches, copies and sets to zero, without doing it: for replay(), which does it
  // all at once, with the same programs, buffers and numbers; the recording keeps them. Null where
  // `work` waits, writes or reads, so that it cannot be recorded. Use RepeatedWork.
  virtual Recording record(const std::function<void()> & /*work*/) { return {}; }
  virtual void replay(const Recording & /*recording*/) {}
  // What such a launch would take of a GPU, where that can be told: see ModelDevice.
  virtual std::optional<LaunchUse> launch_use(const Program & /*program*/,
                                              const std::string & /*kernel*/, Launch /*size*/,
                                              const std::vector<KernelArgument> & /*arguments*/) {
    return {};
  }
  virtual void finish() = 0;
  // Puts what was compiled so far into the cache of kernels; at the end of a process at the latest.
  // For before its last line: it may take a while, and kernels of the same programs that are
  // compiled later are not kept.
  virtual void keep_kernels() {}

  // For a device that watches what is done on it, see ProfilingDevice; others ignore them. What is
  // done between the first two belongs together, in words: "level 1". Use DeviceStage.
  virtual void enter_stage(const std::string & /*name*/) {}
  virtual void leave_stage() {}
  // Whether count() is of use: what the next launch does. Use count_next_launch().
  virtual bool counts_work() const { return false; }
  virtual void count(const KernelCost & /*cost*/) {}

  // Until what is returned ends, each thread of a CPU device has a processor of its own, as far as
  // there are so many; null where the device has no threads here. After work of the host a system
  // may leave them together on one processor for tens of milliseconds, the others idle. For short:
  // beside other processes threads that may move are faster.
  virtual std::shared_ptr<const void> keep_threads_apart() { return nullptr; }
};

// What is done on a device until its destruction belongs to a stage, inside of those that are open.
class DeviceStage {
public:
  DeviceStage(Device &device, const std::string &name) : device_(device) {
    device_.enter_stage(name);
  }
  ~DeviceStage() { device_.leave_stage(); }
  DeviceStage(const DeviceStage &) = delete;
  DeviceStage &operator=(const DeviceStage &) = delete;

private:
  Device &device_;
};

// Tells a device that counts work what its next launch does: `cost()` makes a KernelCost.
template <typename Cost> void count_next_launch(Device &device, const Cost &cost) {
  if (device.counts_work())
    device.count(cost());
}

// Uploads a host array.
template <typename T, typename Allocator>
Buffer upload(Device &device, const std::vector<T, Allocator> &values, const char *purpose) {
  Buffer buffer = device.allocate(values.size() * sizeof(T), purpose);
  if (!values.empty())
    device.write(buffer, values.data(), values.size() * sizeof(T));
  return buffer;
}

// The same of an array that is given up, for kernels to read: where the device sees the host's
// memory, a long array becomes the buffer without a copy.
template <typename T> Buffer upload(Device &device, HostArray<T> &&values, const char *purpose) {
  constexpr std::size_t long_bytes = std::size_t{1} << 21;
  if (!device.info().is_cpu || values.size() * sizeof(T) < long_bytes)
    return upload(device, std::as_const(values), purpose);
  struct Shared {
    HostArray<T> values;
    Buffer buffer;
  };
  const auto shared = std::make_shared<Shared>(Shared{std::move(values), {}});
  shared->buffer = device.share(shared->values.data(), shared->values.size() * sizeof(T), purpose);
  return {shared, shared->buffer.get()};
}

} // namespace weft
