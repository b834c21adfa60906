#include "stand_in/cuda_machine.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <csignal>
#include <sys/mman.h>
#include <unistd.h>

#include "base/system/run_folder.h"
#include "device/host/work_group.h"
#include "stand_in/image.h"

namespace weft::stand_in {

std::recursive_mutex lock;
std::vector<std::unique_ptr<Context>> contexts;
std::set<Function *> functions;
thread_local Context *current = nullptr;

namespace {

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

constexpr std::size_t arena_bytes = std::size_t{1} << 40;
char *arena = nullptr;
std::size_t arena_used = 0;
const char *running_kernel = nullptr;
WorkGroup *running_group = nullptr;
struct sigaction previous_action;

// Where the kernel of a module finds who it is: stand_in_place of kernel.h.
struct Place {
  struct {
    unsigned x, y, z;
  } thread, block, block_size, grid;
};

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

} // namespace

const char *name_of(int status) {
  const auto found = names.find(status);
  return found == names.end() ? nullptr : found->second;
}

Status refuse(Status status, const std::string &why) {
  std::fprintf(stderr, "stand-in for CUDA: %s: %s\n", names.at(status), why.c_str());
  return status;
}

std::int64_t setting(const char *name, std::int64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

static void say(const char *text) {
  [[maybe_unused]] const auto written = write(2, text, std::strlen(text));
}

// Says whose access it was, and lets it fail as it would have.
static void on_fault(int, siginfo_t *info, void *) {
  const char *address = static_cast<const char *>(info->si_addr);
  if (address >= arena && address < arena + arena_bytes) {
    say("stand-in for CUDA: ");
    say(running_kernel ? "the kernel " : "the host, outside kernels,");
    say(running_kernel ? running_kernel : "");
    say(" accesses a device's memory where it may not\n");
  }
  sigaction(SIGSEGV, &previous_action, nullptr);
}

const char *find_memory(const Context &context, const char *begin, std::size_t bytes) {
  auto found = context.memory.upper_bound(begin);
  if (found == context.memory.begin())
    return nullptr;
  --found;
  const std::size_t offset = begin - found->first;
  return offset <= found->second && bytes <= found->second - offset ? found->first : nullptr;
}

static std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page() - 1) / page() * page();
}

// Allocations end where their pages do, but for the alignment of their begin.
static char *pages_of(const char *begin) {
  return reinterpret_cast<char *>(reinterpret_cast<std::uintptr_t>(begin) / page() * page());
}

// To what the operations of a stream were given.
static void set_access(const Context &context, const std::set<const char *> &memory,
                       int protection) {
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

static void barrier() {
  running_group->barrier();
}

static std::pair<char *, char *> shared_memory(const Module &module) {
  char *begin = nullptr, *end = nullptr;
  symbol<void(char **, char **)>(module, "stand_in_shared")(&begin, &end);
  return {begin, end};
}

Status run_kernel(const Function &function, unsigned grid, unsigned block, void **values) {
  auto &place = *symbol<Place>(*function.module, "stand_in_place");
  *symbol<void (*)()>(*function.module, "stand_in_barrier") = barrier;
  const auto [begin, end] = shared_memory(*function.module);
  WorkGroup group(static_cast<int>(block));
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

static int from_digit(char digit) {
  return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

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

std::unique_ptr<DynamicLibrary> open_library(const std::string &library) {
  const RunFolder folder(std::filesystem::temp_directory_path());
  const std::filesystem::path file = folder / "kernel.so";
  std::ofstream(file, std::ios::binary) << library;
  return DynamicLibrary::open({file.string()});
}

bool is_device(int device) {
  return device >= 0 && device < static_cast<int>(contexts.size());
}

bool open_arena() {
  arena = static_cast<char *>(
      mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (arena == MAP_FAILED)
    return false;
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &previous_action);
  return true;
}

std::uint64_t new_memory(std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  const std::size_t room = whole_pages((bytes + alignment - 1) / alignment * alignment);
  if (arena_used + room + page() > arena_bytes)
    return 0;
  char *pages = arena + arena_used + page();
  arena_used += room + page();
  char *begin = pages + (room - bytes) / alignment * alignment;
  mprotect(pages, room, PROT_READ | PROT_WRITE);
  std::memset(pages, 0xff, room);
  mprotect(pages, room, PROT_NONE);
  current->memory[begin] = bytes;
  current->bytes += bytes;
  return reinterpret_cast<std::uint64_t>(begin);
}

void drop_memory(char *begin) {
  const auto found = current->memory.find(begin);
  char *pages = pages_of(begin);
  mmap(pages, whole_pages(begin + found->second - pages), PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  current->bytes -= found->second;
  current->memory.erase(found);
}

} // namespace weft::stand_in
