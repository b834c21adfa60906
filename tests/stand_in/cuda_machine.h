// What the stand-in for libcuda knows of its devices: contexts with their memory, streams, modules
// and graphs. tests/stand_in/cuda_driver.cpp has the driver's calls.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/system/dynamic_library.h"

namespace weft::stand_in {

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
// Null: not one of these.
const char *name_of(int status);

constexpr int max_block = 1024;
constexpr std::int64_t max_shared = 48 * 1024;

struct Context;

struct Module {
  std::unique_ptr<DynamicLibrary> library;
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

using Locked = std::lock_guard<std::recursive_mutex>;
extern std::recursive_mutex lock;                      // of all below
extern std::vector<std::unique_ptr<Context>> contexts; // of the devices; empty before cuInit()
extern std::set<Function *> functions;
extern thread_local Context *current;

// Why a call fails, for whoever reads the test's output; its status says what the driver's would.
Status refuse(Status status, const std::string &why);
// A number of the environment.
std::int64_t setting(const char *name, std::int64_t otherwise);
bool is_device(int device);

// The addresses of all devices' memory, and whose access it was where one fails. False: none left.
bool open_arena();
// In the current context, NaN; 0: the stand-in has given out all its addresses.
std::uint64_t new_memory(std::size_t bytes);
// Gone for good.
void drop_memory(char *begin);

// The allocation that has all of the range, in this context; null: none has.
const char *find_memory(const Context &context, const char *begin, std::size_t bytes);

// What every call looks at first.
Status usable();
Status usable(Stream *stream);

Status add(Stream &stream, Operation operation);
// For an operation on ranges of device memory.
Status enqueue(Stream *stream, const std::vector<std::pair<std::uint64_t, std::size_t>> &ranges,
               Operation operation);
// Does what a stream was asked for.
Status finish(Stream &stream);
Status run_kernel(const Function &function, unsigned grid, unsigned block, void **values);

template <typename T> T *symbol(const Module &module, const std::string &name) {
  return reinterpret_cast<T *>(module.library->find(name.c_str()));
}
// The library in an image; empty, with the reason: none for this device.
std::string library_in(const char *image, Status &status);
// Null where it is no library. The file may go as soon as it is open.
std::unique_ptr<DynamicLibrary> open_library(const std::string &library);

} // namespace weft::stand_in
