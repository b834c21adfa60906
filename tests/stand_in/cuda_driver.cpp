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
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "stand_in/cuda_machine.h"

using namespace weft::stand_in;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int cuInit(unsigned flags) {
  const Locked locked(lock);
  if (flags != 0)
    return refuse(invalid_value, "flags of cuInit()");
  if (!contexts.empty())
    return success;
  if (!open_arena())
    return refuse(out_of_memory, "addresses of devices");
  for (int i = 0; i < setting("WEFT_STAND_IN_DEVICES", 1); ++i)
    contexts.push_back(std::make_unique<Context>(Context{.device = i}));
  return success;
}

EXPORT int cuGetErrorName(int status, const char **name) {
  *name = name_of(status);
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
  *address = new_memory(bytes);
  return *address != 0 ? success
                       : refuse(out_of_memory, "the stand-in has given out all its addresses");
}

EXPORT int cuMemFree_v2(std::uint64_t address) {
  const Locked locked(lock);
  if (const Status status = usable())
    return status;
  char *begin = reinterpret_cast<char *>(address);
  if (current->memory.count(begin) == 0)
    return refuse(invalid_value, "cuMemFree of what cuMemAlloc has not given, or gave elsewhere");
  for (const Stream *stream : current->streams)
    for (const Operation &operation : stream->operations)
      if (std::count(operation.memory.begin(), operation.memory.end(), begin) > 0)
        return refuse(illegal_address, "cuMemFree of what a stream still needs");
  drop_memory(begin);
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
