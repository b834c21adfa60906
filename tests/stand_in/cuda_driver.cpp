// A stand-in for NVIDIA's libcuda: devices whose memory the host cannot reach, and whose kernels
// tests/stand_in/nvrtc.cpp compiled for the host. It has the calls that src/device/cuda makes.
//
// It is as strict as the driver's documentation allows, or stricter:
// - what is asked of a stream is done when it is waited for, not before;
// - memory is NaN when it is new, lies between pages of no access, is accessible only while a
// stream
//   works with it, and is never given out again: the host's access, a kernel's past the end, after
//   the end of its life or to what it was not given stop the program, and say so;
// - every handle, range, size and the thread's current context are looked at; a kernel's pointers
//   must point into memory of its device; what a stream still needs may not be freed or unloaded;
// - a kernel that fails spoils its context.
// WEFT_STAND_IN_DEVICES (1), WEFT_STAND_IN_CAPABILITY (90) and WEFT_STAND_IN_MEMORY (bytes, 4 GiB)
// say what devices there are.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <csignal>
#include <sys/mman.h>
#include <unistd.h>

#include "base/system/dynamic_library.h"
#include "base/system/run_folder.h"
#include "device/host/work_group.h"
#include "stand_in/image.h"

namespace {

using namespace weft::stand_in;

enum Status : int { // CUresult
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  invalid_handle = 400,
  not_found = 500,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_failed = 719,
  not_supported = 801,
  capture_unsupported = 900,
  capture_invalidated = 901,
};

const std::map<int, const char *> names = {
    {success, "CUDA_SUCCESS"},
    {invalid_value, "CUDA_ERROR_INVALID_VALUE"},
    {out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
    {not_initialized, "CUDA_ERROR_NOT_INITIALIZED"},
    {invalid_device, "CUDA_ERROR_INVALID_DEVICE"},
    {invalid_image, "CUDA_ERROR_INVALID_IMAGE"},
    {invalid_context, "CUDA_ERROR_INVALID_CONTEXT"},
    {no_binary_for_gpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {invalid_handle, "CUDA_ERROR_INVALID_HANDLE"},
    {not_found, "CUDA_ERROR_NOT_FOUND"},
    {illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {launch_out_of_resources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {launch_failed, "CUDA_ERROR_LAUNCH_FAILED"},
    {not_supported, "CUDA_ERROR_NOT_SUPPORTED"},
    {capture_unsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {capture_invalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
};

constexpr int max_block = 1024;
constexpr std::int64_t max_shared = 48 * 1024;

// Why a call fails, for whoever reads the test's output; its status says what the driver's would.
Status refuse(Status status, const std::string &why) {
  std::fprintf(stderr, "stand-in for CUDA: %s: %s\n", names.at(status), why.c_str());
  return status;
}

std::int64_t setting(const char *name, std::int64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// The addresses of all devices' memory.
constexpr std::size_t arena_bytes = std::size_t{1} << 40;
char *arena = nullptr;
std::size_t arena_used = 0;

struct Context;

// Where the kernel of a module finds who it is: stand_in_place of kernel.h.
struct Place {
  struct {
    unsigned x, y, z;
  } thread, block, block_size, grid;
};

struct Module {
  std::unique_ptr<weft::DynamicLibrary> library;
};

struct Function {
  Module *module;
  std::string name;
  void (*run)(void **values);
  const int *sizes; // of the parameters
};

struct Operation {
  std::function<Status()> run;
  std::vector<const char *> memory = {}; // allocations that it needs
  const Module *module = nullptr;
};

// What a stream was asked for between the begin and the end of a capture.
struct Graph {
  std::vector<Operation> operations;
};

struct Stream {
  Context *context;
  std::deque<Operation> operations;
  std::unique_ptr<Graph> captured = nullptr; // a capture is under way
  bool spoilt = false;                       // by a call that it does not allow
};

struct Context {
  int device;
  int retained = 0;
  Status status = success; // of a kernel that failed
  std::set<Stream *> streams = {};
  std::set<Module *> modules = {};
  std::set<Graph *> graphs = {};                   // captured ones
  std::set<Graph *> executables = {};              // instantiated ones
  std::map<const char *, std::size_t> memory = {}; // bytes, by where they begin
  std::size_t bytes = 0;                           // in it
};

std::recursive_mutex lock;                      // of all below
std::vector<std::unique_ptr<Context>> contexts; // of the devices; empty before cuInit()
std::set<Function *> functions;
thread_local Context *current = nullptr;
const char *running_kernel = nullptr;
weft::WorkGroup *running_group = nullptr;
struct sigaction previous_action;

void say(const char *text) {
  [[maybe_unused]] const auto written = write(2, text, std::strlen(text));
}

// Says whose access it was, and lets it fail as it would have.
void on_fault(int, siginfo_t *info, void *) {
  const char *address = static_cast<const char *>(info->si_addr);
  if (address >= arena && address < arena + arena_bytes) {
    say("stand-in for CUDA: ");
    say(running_kernel ? "the kernel " : "the host, outside kernels,");
    say(running_kernel ? running_kernel : "");
    say(" accesses a device's memory where it may not\n");
  }
  sigaction(SIGSEGV, &previous_action, nullptr);
}

// The allocation that has all of the range, in this context; null: none has.
const char *find_memory(const Context &context, const char *begin, std::size_t bytes) {
  auto found = context.memory.upper_bound(begin);
  if (found == context.memory.begin())
    return nullptr;
  --found;
  const std::size_t offset = begin - found->first;
  return offset <= found->second && bytes <= found->second - offset ? found->first : nullptr;
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page() - 1) / page() * page();
}

// Allocations end where their pages do, but for the alignment of their begin.
char *pages_of(const char *begin) {
  return reinterpret_cast<char *>(reinterpret_cast<std::uintptr_t>(begin) / page() * page());
}

// To what the operations of a stream were given.
void set_access(const Context &context, const std::set<const char *> &memory, int protection) {
  for (const char *begin : memory)
    mprotect(pages_of(begin), whole_pages(begin + context.memory.at(begin) - pages_of(begin)),
             protection);
}

Status finish(Stream &stream) {
  Context &context = *stream.context;
  if (stream.captured) {
    stream.spoilt = true;
    return refuse(capture_unsupported, "a stream is waited for while it is captured");
  }
  if (stream.operations.empty() || context.status)
    return context.status;
  std::set<const char *> memory;
  for (const Operation &operation : stream.operations)
    memory.insert(operation.memory.begin(), operation.memory.end());
  set_access(context, memory, PROT_READ | PROT_WRITE);
  while (!stream.operations.empty() && !context.status) {
    context.status = stream.operations.front().run();
    stream.operations.pop_front();
  }
  set_access(context, memory, PROT_NONE);
  return context.status;
}

// What every call looks at first.
Status usable() {
  if (contexts.empty())
    return refuse(not_initialized, "a call before cuInit()");
  if (!current || current->retained == 0)
    return refuse(invalid_context, "the thread has no current context");
  return current->status;
}

Status usable(Stream *stream) {
  if (const Status status = usable())
    return status;
  if (!stream)
    return refuse(not_supported, "the stand-in has no default stream");
  if (current->streams.count(stream) == 0)
    return refuse(invalid_handle, "a stream that is not of the current context");
  return success;
}

Status add(Stream &stream, Operation operation) {
  if (stream.spoilt)
    return refuse(capture_invalidated, "an operation in a capture that was spoilt");
  if (stream.captured)
    stream.captured->operations.push_back(std::move(operation));
  else
    stream.operations.push_back(std::move(operation));
  return success;
}

// For an operation on ranges of device memory.
Status enqueue(Stream *stream, const std::vector<std::pair<std::uint64_t, std::size_t>> &ranges,
               Operation operation) {
  if (const Status status = usable(stream))
    return status;
  for (const auto &[address, bytes] : ranges) {
    const char *memory = find_memory(*current, reinterpret_cast<const char *>(address), bytes);
    if (!memory)
      return refuse(invalid_value, "a range that is not of one allocation of the current context");
    operation.memory.push_back(memory);
  }
  return add(*stream, std::move(operation));
}

void barrier() {
  running_group->barrier();
}

template <typename T> T *symbol(const Module &module, const std::string &name) {
  return reinterpret_cast<T *>(module.library->find(name.c_str()));
}

std::pair<char *, char *> shared_memory(const Module &module) {
  char *begin = nullptr, *end = nullptr;
  symbol<void(char **, char **)>(module, "stand_in_shared")(&begin, &end);
  return {begin, end};
}

Status run_kernel(const Function &function, unsigned grid, unsigned block, void **values) {
  auto &place = *symbol<Place>(*function.module, "stand_in_place");
  *symbol<void (*)()>(*function.module, "stand_in_barrier") = barrier;
  const auto [begin, end] = shared_memory(*function.module);
  weft::WorkGroup group(static_cast<int>(block));
  running_group = &group;
  running_kernel = function.name.c_str();
  bool together = true;
  for (unsigned g = 0; g < grid && together; ++g) {
    std::fill(begin, end, '\xff');
    place = {{0, 0, 0}, {g, 0, 0}, {block, 1, 1}, {grid, 1, 1}};
    together = group.run([&](int i) { place.thread.x = static_cast<unsigned>(i); },
                         [&] { function.run(values); }, false);
  }
  running_kernel = nullptr;
  running_group = nullptr;
  return together ? success
                  : refuse(launch_failed,
                           "kernel " + function.name + ": a barrier that not all threads reach");
}

int from_digit(char digit) {
  return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

// The library in an image; empty, with the reason: none for this device.
std::string library_in(const char *image, Status &status) {
  const auto own = static_cast<int>(setting("WEFT_STAND_IN_CAPABILITY", 90));
  if (std::memcmp(image, cubin_magic, sizeof cubin_magic) == 0) {
    CubinHead head;
    std::memcpy(&head, image, sizeof head);
    // Of the same generation, and not newer.
    if (head.capability / 10 == own / 10 && head.capability <= own)
      return {image + sizeof head, static_cast<std::size_t>(head.bytes)};
    status = refuse(no_binary_for_gpu, "a cubin of sm_" + std::to_string(head.capability));
    return "";
  }
  if (std::strncmp(image, ptx_magic, std::strlen(ptx_magic)) == 0) {
    char *end = nullptr;
    if (std::strtol(image + std::strlen(ptx_magic), &end, 10) > own) {
      status = refuse(no_binary_for_gpu, "PTX of a newer GPU");
      return "";
    }
    std::string library;
    for (const char *at = end + 1; at[0] && at[1]; at += 2)
      library += static_cast<char>(16 * from_digit(at[0]) + from_digit(at[1]));
    return library;
  }
  status = refuse(invalid_image, "neither of the stand-in's images");
  return "";
}

// Null where it is no library. The file may go as soon as it is open.
std::unique_ptr<weft::DynamicLibrary> open_library(const std::string &library) {
  const weft::RunFolder folder(std::filesystem::temp_directory_path());
  const std::filesystem::path file = folder / "kernel.so";
  std::ofstream(file, std::ios::binary) << library;
  return weft::DynamicLibrary::open({file.string()});
}

bool is_device(int device) {
  return device >= 0 && device < static_cast<int>(contexts.size());
}

using Locked = std::lock_guard<std::recursive_mutex>;

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int cuInit(unsigned flags) {
  const Locked locked(lock);
  if (flags != 0)
    return refuse(invalid_value, "flags of cuInit()");
  if (!contexts.empty())
    return success;
  arena = static_cast<char *>(
      mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (arena == MAP_FAILED)
    return refuse(out_of_memory, "addresses of devices");
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &previous_action);
  for (int i = 0; i < setting("WEFT_STAND_IN_DEVICES", 1); ++i)
    contexts.push_back(std::make_unique<Context>(Context{.device = i}));
  return success;
}

EXPORT int cuGetErrorName(int status, const char **name) {
  const auto found = names.find(status);
  *name = found == names.end() ? nullptr : found->second;
  return *name ? success : invalid_value;
}

EXPORT int cuDriverGetVersion(int *version) {
  *version = 12000;
  return success;
}

EXPORT int cuDeviceGetCount(int *count) {
  const Locked locked(lock);
  if (contexts.empty())
    return refuse(not_initialized, "cuDeviceGetCount");
  *count = static_cast<int>(contexts.size());
  return success;
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
  const Locked locked(lock);
  if (!is_device(ordinal))
    return refuse(invalid_device, "cuDeviceGet");
  *device = ordinal;
  return success;
}

EXPORT int cuDeviceGetName(char *name, int length, int device) {
  const Locked locked(lock);
  if (!is_device(device))
    return refuse(invalid_device, "cuDeviceGetName");
  std::snprintf(name, length, "stand-in for a GPU");
  return success;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  const Locked locked(lock);
  if (!is_device(device))
    return refuse(invalid_device, "cuDeviceGetAttribute");
  const auto capability = static_cast<int>(setting("WEFT_STAND_IN_CAPABILITY", 90));
  switch (attribute) {
  case 1:
    *value = max_block;
    return success;
  case 8:
    *value = max_shared;
    return success;
  case 16:
    *value = 4;
    return success; // multiprocessors
  case 38:
    *value = 4 << 20;
    return success; // bytes of the second cache
  case 75:
    *value = capability / 10;
    return success;
  case 76:
    *value = capability % 10;
    return success;
  default:
    return refuse(invalid_value, "an attribute that the stand-in does not know");
  }
}

EXPORT int cuDeviceTotalMem_v2(std::size_t *bytes, int device) {
  const Locked locked(lock);
  if (!is_device(device))
    return refuse(invalid_device, "cuDeviceTotalMem");
  *bytes = setting("WEFT_STAND_IN_MEMORY", std::int64_t{4} << 30);
  return success;
}

EXPORT int cuDevicePrimaryCtxRetain(Context **context, int device) {
  const Locked locked(lock);
  if (!is_device(device))
    return refuse(invalid_device, "cuDevicePrimaryCtxRetain");
  *context = contexts[device].get();
  ++(*context)->retained;
  return success;
}

// The last one destroys the context: whoever keeps something of it does so too long.
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  const Locked locked(lock);
  if (!is_device(device) || contexts[device]->retained == 0)
    return refuse(invalid_context, "cuDevicePrimaryCtxRelease");
  Context &context = *contexts[device];
  if (--context.retained > 0)
    return success;
  if (context.status) // nothing could be freed
    context = {.device = device};
  if (!context.memory.empty() || !context.streams.empty() || !context.modules.empty() ||
      !context.graphs.empty() || !context.executables.empty()) {
    std::fprintf(stderr,
                 "stand-in for CUDA: a context ends with %zu allocations, %zu streams, %zu modules "
                 "and %zu graphs\n",
                 context.memory.size(), context.streams.size(), context.modules.size(),
                 context.graphs.size() + context.executables.size());
    std::abort();
  }
  return success;
}

EXPORT int cuCtxSetCurrent(Context *context) {
  const Locked locked(lock);
  const bool known = std::any_of(contexts.begin(), contexts.end(),
                                 [&](const auto &own) { return own.get() == context; });
  if (context && !known)
    return refuse(invalid_context, "cuCtxSetCurrent");
  current = context;
  return success;
}

EXPORT int cuStreamCreate(Stream **stream, unsigned flags) {
  const Locked locked(lock);
  if (const Status status = usable())
    return status;
  if (flags > 1)
    return refuse(invalid_value, "flags of cuStreamCreate()");
  *stream = *current->streams.insert(new Stream{.context = current, .operations = {}}).first;
  return success;
}

EXPORT int cuStreamDestroy_v2(Stream *stream) {
  const Locked locked(lock);
  if (const Status status = usable(stream))
    return status;
  stream->captured.reset();
  const Status status = finish(*stream);
  current->streams.erase(stream);
  delete stream;
  return status;
}

EXPORT int cuStreamSynchronize(Stream *stream) {
  const Locked locked(lock);
  if (const Status status = usable(stream))
    return status;
  return finish(*stream);
}

EXPORT int cuMemAlloc_v2(std::uint64_t *address, std::size_t bytes) {
  const Locked locked(lock);
  if (const Status status = usable())
    return status;
  if (bytes == 0)
    return refuse(invalid_value, "cuMemAlloc of no bytes");
  if (current->bytes + bytes >
      static_cast<std::size_t>(setting("WEFT_STAND_IN_MEMORY", std::int64_t{4} << 30)))
    return out_of_memory;
  constexpr std::size_t alignment = 256;
  const std::size_t room = whole_pages((bytes + alignment - 1) / alignment * alignment);
  if (arena_used + room + page() > arena_bytes)
    return refuse(out_of_memory, "the stand-in has given out all its addresses");
  char *pages = arena + arena_used + page();
  arena_used += room + page();
  char *begin = pages + (room - bytes) / alignment * alignment;
  mprotect(pages, room, PROT_READ | PROT_WRITE);
  std::memset(pages, 0xff, room);
  mprotect(pages, room, PROT_NONE);
  current->memory[begin] = bytes;
  current->bytes += bytes;
  *address = reinterpret_cast<std::uint64_t>(begin);
  return success;
}

EXPORT int cuMemFree_v2(std::uint64_t address) {
  const Locked locked(lock);
  if (const Status status = usable())
    return status;
  char *begin = reinterpret_cast<char *>(address);
  const auto found = current->memory.find(begin);
  if (found == current->memory.end())
    return refuse(invalid_value, "cuMemFree of what cuMemAlloc has not given, or gave elsewhere");
  for (const Stream *stream : current->streams)
    for (const Operation &operation : stream->operations)
      if (std::count(operation.memory.begin(), operation.memory.end(), begin) > 0)
        return refuse(illegal_address, "cuMemFree of what a stream still needs");
  // Gone for good.
  char *pages = pages_of(begin);
  mmap(pages, whole_pages(begin + found->second - pages), PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  current->bytes -= found->second;
  current->memory.erase(found);
  return success;
}

EXPORT int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void *from, std::size_t bytes,
                                Stream *stream) {
  const Locked locked(lock);
  return enqueue(stream, {{to, bytes}}, {.run = [=] {
                   std::memcpy(reinterpret_cast<void *>(to), from, bytes);
                   return success;
                 }});
}

EXPORT int cuMemcpyDtoHAsync_v2(void *to, std::uint64_t from, std::size_t bytes, Stream *stream) {
  const Locked locked(lock);
  return enqueue(stream, {{from, bytes}}, {.run = [=] {
                   std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
                   return success;
                 }});
}

EXPORT int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                                Stream *stream) {
  const Locked locked(lock);
  if (to < from + bytes && from < to + bytes)
    return refuse(invalid_value, "cuMemcpyDtoD of ranges that overlap");
  return enqueue(stream, {{to, bytes}, {from, bytes}}, {.run = [=] {
                   std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from),
                               bytes);
                   return success;
                 }});
}

EXPORT int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes,
                           Stream *stream) {
  const Locked locked(lock);
  return enqueue(stream, {{to, bytes}}, {.run = [=] {
                   std::memset(reinterpret_cast<void *>(to), value, bytes);
                   return success;
                 }});
}

EXPORT int cuModuleLoadData(Module **module, const void *image) {
  const Locked locked(lock);
  if (Status status = usable())
    return status;
  Status status = success;
  const std::string library = library_in(static_cast<const char *>(image), status);
  if (status)
    return status;
  auto loaded = std::make_unique<Module>(Module{open_library(library)});
  if (!loaded->library)
    return refuse(invalid_image, "an image without a library that can be loaded");
  *module = *current->modules.insert(loaded.release()).first;
  return success;
}

EXPORT int cuModuleUnload(Module *module) {
  const Locked locked(lock);
  if (const Status status = usable())
    return status;
  if (current->modules.erase(module) == 0)
    return refuse(invalid_handle, "cuModuleUnload");
  for (const Stream *stream : current->streams)
    for (const Operation &operation : stream->operations)
      if (operation.module == module) {
        std::fprintf(stderr, "stand-in for CUDA: a module is unloaded whose kernel a stream has "
                             "still to run\n");
        std::abort();
      }
  for (auto it = functions.begin(); it != functions.end();) {
    const bool of_module = (*it)->module == module;
    if (of_module)
      delete *it;
    it = of_module ? functions.erase(it) : std::next(it);
  }
  delete module;
  return success;
}

EXPORT int cuModuleGetFunction(Function **function, Module *module, const char *name) {
  const Locked locked(lock);
  if (const Status status = usable())
    return status;
  if (current->modules.count(module) == 0)
    return refuse(invalid_handle, "cuModuleGetFunction");
  const auto run = symbol<void(void **)>(*module, std::string("stand_in_run_") + name);
  const auto sizes = symbol<const int *()>(*module, std::string("stand_in_sizes_") + name);
  if (!run || !sizes)
    return not_found;
  *function = *functions.insert(new Function{module, name, run, sizes()}).first;
  return success;
}

EXPORT int cuLaunchKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, Stream *stream, void **arguments, void **extra) {
  const Locked locked(lock);
  if (const Status status = usable(stream))
    return status;
  if (functions.count(function) == 0 || current->modules.count(function->module) == 0)
    return refuse(invalid_handle, "cuLaunchKernel of a function that is not of the context");
  if (grid_x < 1 || grid_x > 0x7fffffff || block_x < 1 || block_x > max_block)
    return refuse(invalid_value, "cuLaunchKernel: " + std::to_string(grid_x) + " blocks of " +
                                     std::to_string(block_x) + " threads");
  if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 || shared_bytes != 0 || extra)
    return refuse(not_supported, "the stand-in has blocks and grids of one dimension, parameters "
                                 "by pointers and no dynamic shared memory");
  // Taken now: the caller's variables may go.
  std::vector<std::string> values;
  Operation operation{.run = nullptr, .memory = {}, .module = function->module};
  for (const int *size = function->sizes; *size != 0; ++size) {
    const char *value = static_cast<const char *>(arguments[values.size()]);
    values.emplace_back(value, std::abs(*size));
    if (*size > 0)
      continue;
    const char *pointer = nullptr;
    std::memcpy(&pointer, value, sizeof pointer);
    const char *memory = pointer ? find_memory(*current, pointer, 0) : nullptr;
    if (pointer && !memory)
      return refuse(illegal_address, "kernel " + function->name + ": parameter " +
                                         std::to_string(values.size() - 1) +
                                         " does not point to memory of the device");
    if (memory)
      operation.memory.push_back(memory);
  }
  operation.run = [=]() mutable {
    std::vector<void *> pointers;
    for (std::string &value : values)
      pointers.push_back(value.data());
    return run_kernel(*function, grid_x, block_x, pointers.data());
  };
  return add(*stream, std::move(operation));
}

EXPORT int cuStreamBeginCapture_v2(Stream *stream, int mode) {
  const Locked locked(lock);
  if (const Status status = usable(stream))
    return status;
  if (mode != 2)
    return refuse(not_supported, "the stand-in captures in relaxed mode alone");
  if (stream->captured)
    return refuse(invalid_value, "a capture of a stream that is captured already");
  stream->captured = std::make_unique<Graph>();
  stream->spoilt = false;
  return success;
}

EXPORT int cuStreamEndCapture(Stream *stream, Graph **graph) {
  const Locked locked(lock);
  *graph = nullptr;
  if (const Status status = usable(stream))
    return status;
  if (!stream->captured)
    return refuse(invalid_value, "the end of a capture without a begin");
  const auto captured = std::move(stream->captured);
  if (std::exchange(stream->spoilt, false))
    return refuse(capture_invalidated, "the end of a capture that was spoilt");
  *graph = *current->graphs.insert(new Graph(*captured)).first;
  return success;
}

EXPORT int cuGraphInstantiateWithFlags(Graph **executable, Graph *graph, unsigned long long flags) {
  const Locked locked(lock);
  if (const Status status = usable())
    return status;
  if (current->graphs.count(graph) == 0 || flags != 0)
    return refuse(invalid_value, "cuGraphInstantiateWithFlags");
  *executable = *current->executables.insert(new Graph(*graph)).first;
  return success;
}

// Memory and modules that it needs have to be there still.
EXPORT int cuGraphLaunch(Graph *executable, Stream *stream) {
  const Locked locked(lock);
  if (const Status status = usable(stream))
    return status;
  if (current->executables.count(executable) == 0)
    return refuse(invalid_handle, "cuGraphLaunch");
  if (stream->captured)
    return refuse(not_supported, "a graph in a capture");
  for (const Operation &operation : executable->operations) {
    if (operation.module && current->modules.count(const_cast<Module *>(operation.module)) == 0)
      return refuse(invalid_handle, "cuGraphLaunch after a module of it was unloaded");
    for (const char *memory : operation.memory)
      if (current->memory.count(memory) == 0)
        return refuse(illegal_address, "cuGraphLaunch after memory that it needs was freed");
  }
  stream->operations.insert(stream->operations.end(), executable->operations.begin(),
                            executable->operations.end());
  return success;
}

EXPORT int cuGraphDestroy(Graph *graph) {
  const Locked locked(lock);
  if (const Status status = usable())
    return status;
  if (current->graphs.erase(graph) == 0)
    return refuse(invalid_value, "cuGraphDestroy");
  delete graph;
  return success;
}

EXPORT int cuGraphExecDestroy(Graph *executable) {
  const Locked locked(lock);
  if (const Status status = usable())
    return status;
  if (current->executables.erase(executable) == 0)
    return refuse(invalid_value, "cuGraphExecDestroy");
  delete executable;
  return success;
}
