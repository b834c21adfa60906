#include "device/cuda/cuda_device.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/hash.h"
#include "base/names.h"
#include "device/binary_cache.h"
#include "device/compilations.h"
#include "device/cuda/cuda_driver.h"
#include "device/cuda/nvrtc.h"
#include "device/memory_pool.h"
#include "device/recent_programs.h"
#include "device/wait_watch.h"

namespace weft {

namespace {

int attribute(CudaDeviceId device, CudaAttribute key) {
  int value = 0;
  check_cuda(cuda_driver()->cuDeviceGetAttribute(&value, key, device), "cuDeviceGetAttribute");
  return value;
}

int capability(CudaDeviceId device) {
  return 10 * attribute(device, CudaAttribute::compute_capability_major) +
         attribute(device, CudaAttribute::compute_capability_minor);
}

// The device's own architecture; for a GPU newer than the compiler, the newest it knows as PTX,
// which the driver finishes.
std::string architecture_of(CudaDeviceId device) {
  const int own = capability(device);
  const std::vector<int> known = nvrtc_architectures();
  if (known.empty() || std::find(known.begin(), known.end(), own) != known.end())
    return fmt::format("sm_{}", own);
  const auto newer = std::upper_bound(known.begin(), known.end(), own);
  return fmt::format("compute_{}", newer == known.begin() ? known.front() : *std::prev(newer));
}

DeviceInfo describe(CudaDeviceId device, int index) {
  const CudaDriver &cuda = *cuda_driver();
  DeviceInfo info;
  info.selector = fmt::format("cuda:{}", index);
  info.backend = "cuda";
  char name[256] = {};
  check_cuda(cuda.cuDeviceGetName(name, sizeof name - 1, device), "cuDeviceGetName");
  info.name = name;
  info.vendor = "NVIDIA";
  info.architecture = fmt::format("sm_{}", capability(device));
  int version = 0;
  check_cuda(cuda.cuDriverGetVersion(&version), "cuDriverGetVersion");
  info.driver = fmt::format("CUDA driver {}.{}, NVRTC {}", version / 1000, version % 1000 / 10,
                            nvrtc_available() ? nvrtc_version() : "not installed");
  info.compute_units = attribute(device, CudaAttribute::multiprocessor_count);
  std::size_t bytes = 0;
  check_cuda(cuda.cuDeviceTotalMem_v2(&bytes, device), "cuDeviceTotalMem");
  info.memory_bytes = bytes;
  info.max_allocation_bytes = bytes;
  info.local_memory_bytes = attribute(device, CudaAttribute::max_shared_memory_per_block);
  info.last_cache_bytes = attribute(device, CudaAttribute::l2_cache_size);
  info.has_f16 = capability(device) >= 53;
  info.max_work_group = attribute(device, CudaAttribute::max_threads_per_block);
  info.identity = hash_hex(fmt::format("{}\n{}\n{}\n{}\n{}", info.name, info.driver,
                                       info.compute_units, info.memory_bytes, capability(device)));
  return info;
}

// The context and stream, shared by everything that must outlive neither.
struct CudaSession {
  explicit CudaSession(CudaDeviceId id) : device(id) {
    const CudaDriver &cuda = *cuda_driver();
    check_cuda(cuda.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    make_current();
    constexpr unsigned non_blocking = 1;
    check_cuda(cuda.cuStreamCreate(&stream, non_blocking), "cuStreamCreate");
  }
  ~CudaSession() {
    cuda_driver()->cuCtxSetCurrent(context);
    cuda_driver()->cuStreamDestroy_v2(stream);
    cuda_driver()->cuDevicePrimaryCtxRelease_v2(device);
  }
  CudaSession(const CudaSession &) = delete;
  CudaSession &operator=(const CudaSession &) = delete;
  // Calls go to the thread's current context: a process may use several devices.
  void make_current() const {
    check_cuda(cuda_driver()->cuCtxSetCurrent(context), "cuCtxSetCurrent");
  }
  CudaStream current_stream() const {
    make_current();
    return stream;
  }
  // For destructors: whoever waits next is told of an error.
  void synchronize() const {
    cuda_driver()->cuCtxSetCurrent(context);
    cuda_driver()->cuStreamSynchronize(stream);
  }

  CudaDeviceId device;
  CudaContext context = nullptr;
  CudaStream stream = nullptr;
};

CudaAddress address_of(const MemoryBlock &block) {
  return reinterpret_cast<CudaAddress>(block.handle);
}

class CudaMemory : public MemorySource {
public:
  explicit CudaMemory(std::shared_ptr<CudaSession> session) : session_(std::move(session)) {}
  MemoryBlock acquire(std::uint64_t bytes) override {
    session_->make_current();
    CudaAddress address = 0;
    check_cuda(cuda_driver()->cuMemAlloc_v2(&address, bytes), "cuMemAlloc");
    return {.bytes = bytes, .handle = reinterpret_cast<void *>(address)};
  }
  // Destructors come here: after a kernel's failure no call succeeds, and it has been told.
  void release(const MemoryBlock &block) override {
    cuda_driver()->cuCtxSetCurrent(session_->context);
    cuda_driver()->cuMemFree_v2(address_of(block));
  }
  void finish() override {
    const DeviceWait wait;
    session_->synchronize();
  }

private:
  std::shared_ptr<CudaSession> session_;
};

class CudaProgram : public ProgramImpl {
public:
  CudaProgram(std::shared_ptr<CudaSession> session, const std::string &binary,
              const ProgramSource &source)
      : session_(std::move(session)), name_(source.name), kernels_(source.kernels) {
    session_->make_current();
    check_cuda(cuda_driver()->cuModuleLoadData(&module_, binary.data()), "cuModuleLoadData");
  }
  // Launches of it may be under way.
  ~CudaProgram() override {
    session_->synchronize();
    cuda_driver()->cuModuleUnload(module_);
  }

  CudaFunction kernel(const std::string &name) {
    CudaFunction &function = functions_[name];
    if (!function && cuda_driver()->cuModuleGetFunction(&function, module_, name.c_str()) != 0)
      throw Error(ErrorKind::invariant,
                  {.what = fmt::format("program '{}' has no kernel '{}'", name_, name),
                   .allowed = join_names(kernels_)});
    return function;
  }

private:
  std::shared_ptr<CudaSession> session_;
  std::string name_;
  std::vector<std::string> kernels_;
  CudaModule module_ = nullptr;
  std::map<std::string, CudaFunction> functions_;
};

// A graph, and what its kernels need.
class CudaRecording : public RecordingImpl {
public:
  explicit CudaRecording(std::shared_ptr<CudaSession> session) : session_(std::move(session)) {}
  // It may be running.
  ~CudaRecording() override {
    session_->synchronize();
    if (exec_)
      cuda_driver()->cuGraphExecDestroy(exec_);
  }

  void keep(const Program &program) { programs_.push_back(program); }
  void keep(const Buffer &buffer) { buffers_.push_back(buffer); }
  // False where the driver cannot make it.
  bool instantiate(CudaGraph graph) {
    return cuda_driver()->cuGraphInstantiateWithFlags(&exec_, graph, 0) == 0;
  }
  CudaGraphExec exec() const { return exec_; }

private:
  std::shared_ptr<CudaSession> session_;
  std::vector<Program> programs_;
  std::vector<Buffer> buffers_;
  CudaGraphExec exec_ = nullptr;
};

// Work that is being recorded does what a recording cannot hold.
struct NotRecorded {};

class CudaDevice : public Device {
public:
  CudaDevice(CudaDeviceId device, int index)
      : info_(describe(device, index)), architecture_(architecture_of(device)),
        session_(std::make_shared<CudaSession>(device)),
        pool_(std::make_shared<MemoryPool>(
            std::make_unique<CudaMemory>(session_),
            MemoryLimits{info_.selector + " (" + info_.name + ")", info_.memory_bytes,
                         info_.max_allocation_bytes, info_.memory_bytes / 8})) {}
  ~CudaDevice() override {
    const DeviceWait wait;
    session_->synchronize();
  }

  const DeviceInfo &info() const override { return info_; }

  Buffer allocate(std::uint64_t bytes, const char *purpose) override {
    Buffer buffer = pool_->allocate(bytes, purpose);
#ifndef NDEBUG
    constexpr unsigned char all_ones = 0xff; // NaN in every precision
    const MemoryBlock &block = block_of(buffer);
    check_cuda(cuda_driver()->cuMemsetD8Async(address_of(block), all_ones, block.bytes,
                                              session_->current_stream()),
               "cuMemsetD8Async");
#endif
    return buffer;
  }
  std::uint64_t allocated_bytes() const override {
    return pool_->allocated_bytes();
  }
  std::uint64_t peak_allocated_bytes() const override {
    return pool_->peak_allocated_bytes();
  }

  void write(const Buffer &to, const void *from, std::uint64_t bytes,
             std::uint64_t offset) override {
    const CudaAddress address = address_of(block_of(to, bytes, offset)) + offset;
    if (bytes == 0)
      return;
    refuse_in_recording();
    const DeviceWait wait; // also for memory that the driver copies by itself
    check_cuda(
        cuda_driver()->cuMemcpyHtoDAsync_v2(address, from, bytes, session_->current_stream()),
        "cuMemcpyHtoDAsync");
    finish(); // the caller may reuse `from`
  }
  void read(const Buffer &from, void *to, std::uint64_t bytes, std::uint64_t offset) override {
    const CudaAddress address = address_of(block_of(from, bytes, offset)) + offset;
    refuse_in_recording();
    const DeviceWait wait;
    if (bytes > 0)
      check_cuda(
          cuda_driver()->cuMemcpyDtoHAsync_v2(to, address, bytes, session_->current_stream()),
          "cuMemcpyDtoHAsync");
    finish();
  }
  void *address(const Buffer &buffer) override {
    return block_of(buffer).handle;
  }
  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes, std::uint64_t from_offset,
            std::uint64_t to_offset) override {
    const CudaAddress source = address_of(block_of(from, bytes, from_offset)) + from_offset;
    const CudaAddress target = address_of(block_of(to, bytes, to_offset)) + to_offset;
    if (bytes > 0)
      check_cuda(
          cuda_driver()->cuMemcpyDtoDAsync_v2(target, source, bytes, session_->current_stream()),
          "cuMemcpyDtoDAsync");
    keep(from);
    keep(to);
  }
  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) override {
    const CudaAddress address = address_of(block_of(buffer, bytes, offset)) + offset;
    if (bytes > 0)
      check_cuda(cuda_driver()->cuMemsetD8Async(address, 0, bytes, session_->current_stream()),
                 "cuMemsetD8Async");
    keep(buffer);
  }

  bool records() const override {
    return has_graphs(*cuda_driver()) && recording_ == nullptr;
  }
  Recording record(const std::function<void()> &work) override;
  void replay(const Recording &recording) override {
    check_cuda(cuda_driver()->cuGraphLaunch(static_cast<CudaRecording &>(*recording).exec(),
                                            session_->current_stream()),
               "cuGraphLaunch");
  }

  Program build(const ProgramSource &source) override {
    return programs_.get(source, [&] {
      const std::string key = hash_hex(
          fmt::format("{}\n{}\n{}\n{}", source.text, architecture_, info_.driver, info_.identity));
      std::optional<std::string> binary = cache_.load(source.name, key);
      if (!binary) {
        note_compilation();
        binary = compile_cuda(source, architecture_);
        cache_.store(source.name, key, *binary);
      }
      return std::make_shared<CudaProgram>(session_, *binary, source);
    });
  }

  void launch(const Program &program, const std::string &kernel, Launch size,
              const std::vector<KernelArgument> &arguments) override;

  void finish() override {
    refuse_in_recording();
    const DeviceWait wait;
    check_cuda(cuda_driver()->cuStreamSynchronize(session_->current_stream()),
               "cuStreamSynchronize");
  }

private:
  void refuse_in_recording() const {
    if (recording_)
      throw NotRecorded{};
  }
  template <typename Handle> void keep(const Handle &handle) {
    if (recording_)
      recording_->keep(handle);
  }

  DeviceInfo info_;
  std::string architecture_;
  std::shared_ptr<CudaSession> session_;
  CudaRecording *recording_ = nullptr; // under way
  std::shared_ptr<MemoryPool> pool_;
  BinaryCache cache_;
  RecentPrograms programs_;
};

void CudaDevice::launch(const Program &program, const std::string &kernel, Launch size,
                        const std::vector<KernelArgument> &arguments) {
  if (size.groups == 0)
    return;
  require(program != nullptr, "a kernel is launched before its program is built");
  require(size.groups <= std::numeric_limits<std::int32_t>::max(), "number of work-groups");
  if (size.group_size < 1 || size.group_size > info_.max_work_group)
    throw Error(ErrorKind::unsupported,
                {.what = fmt::format("kernel '{}' in work-groups of this size", kernel),
                 .where = info_.selector,
                 .found = std::to_string(size.group_size),
                 .allowed = fmt::format("1 to {}", info_.max_work_group)});
  std::vector<CudaAddress> addresses; // of the buffers, which the argument pointers point to
  addresses.reserve(arguments.size());
  std::vector<void *> pointers;
  for (const KernelArgument &argument : arguments)
    pointers.push_back(std::visit(
        [&](const auto &value) -> void * {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Buffer>)
            return &addresses.emplace_back(address_of(block_of(value)));
          else
            return const_cast<void *>(static_cast<const void *>(&value));
        },
        argument));
  check_cuda(cuda_driver()->cuLaunchKernel(static_cast<CudaProgram &>(*program).kernel(kernel),
                                           static_cast<unsigned>(size.groups), 1, 1,
                                           static_cast<unsigned>(size.group_size), 1, 1, 0,
                                           session_->current_stream(), pointers.data(), nullptr),
             kernel.c_str());
  keep(program);
  for (const KernelArgument &argument : arguments)
    if (const auto *buffer = std::get_if<Buffer>(&argument))
      keep(*buffer);
}

Recording CudaDevice::record(const std::function<void()> &work) {
  require(recording_ == nullptr, "one recording at a time");
  const CudaDriver &cuda = *cuda_driver();
  const auto recording = std::make_shared<CudaRecording>(session_);
  check_cuda(cuda.cuStreamBeginCapture_v2(session_->current_stream(), CudaCapture::relaxed),
             "cuStreamBeginCapture");
  recording_ = recording.get();
  bool whole = true;
  std::exception_ptr failure;
  try {
    work();
  } catch (const NotRecorded &) {
    whole = false;
  } catch (...) {
    failure = std::current_exception();
  }
  recording_ = nullptr;
  CudaGraph graph = nullptr;
  // A wait of the back end's own spoils a recording, and then every call that follows fails.
  if (cuda.cuStreamEndCapture(session_->current_stream(), &graph) != 0)
    return {};
  whole = whole && !failure && graph && recording->instantiate(graph);
  if (graph)
    cuda.cuGraphDestroy(graph);
  if (failure)
    std::rethrow_exception(failure);
  return whole ? recording : nullptr;
}

} // namespace

std::vector<DeviceInfo> list_cuda_devices() {
  std::vector<DeviceInfo> infos;
  int count = 0;
  if (!cuda_driver() || cuda_driver()->cuDeviceGetCount(&count) != 0)
    return infos;
  for (int index = 0; index < count; ++index) {
    CudaDeviceId device = 0;
    check_cuda(cuda_driver()->cuDeviceGet(&device, index), "cuDeviceGet");
    infos.push_back(describe(device, index));
  }
  return infos;
}

std::unique_ptr<Device> open_cuda_device(int index) {
  CudaDeviceId device = 0;
  require(cuda_driver() != nullptr, "CUDA driver");
  check_cuda(cuda_driver()->cuDeviceGet(&device, index), "cuDeviceGet");
  return std::make_unique<CudaDevice>(device, index);
}

} // namespace weft
