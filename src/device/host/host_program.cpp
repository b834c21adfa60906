#include "device/host/host_program.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/names.h"
#include "base/system/run_folder.h"
#include "device/access_map.h"
#include "device/build_log.h"
#include "device/host/warp_trace.h"
#include "device/host/work_group.h"
#include "device/memory_pool.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const fs::path &path, const std::string &text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw Error(ErrorKind::system, {.what = "cannot write", .where = path.string()});
}

// Kernels run once and for a few cells: not optimised, they compile in a fifth of the time.
// Local variables start as large numbers, not as what happens to lie there; contraction would
// make results differ from what the text says. Hidden names keep programs apart: template statics
// are otherwise one for the whole process.
std::string compile_command(const HostOptions &options) {
  std::string command =
      "'" WEFT_HOST_COMPILER "' -std=c++20 -O0 -g1 -w -shared -fPIC -ffp-contract=off "
      "-fvisibility=hidden "
      "-ftrivial-auto-var-init=pattern";
  if (options.warps) // the compiler calls the program at the begin of every piece of straight code
    command += " -fsanitize-coverage=trace-pc";
  if (options.sanitize)
    command += " -fsanitize=address,undefined -fno-sanitize-recover=undefined";
  return command;
}

// The kernel reaches these while it runs; one program runs at a time.
WorkGroup *running_group = nullptr;
std::string failure;

WarpTrace *running_warps = nullptr; // of the work-group
WarpCounts *running_counts = nullptr;
void step_of_running_item(const void *frame, const void *address, unsigned bytes, char how) {
  if (running_warps)
    running_warps->step(frame, address, bytes, how);
}

void barrier_of_running_group() {
  if (running_group)
    running_group->barrier();
}
void fail(const char *what) {
  failure = what;
}

AccessMap *running_map = nullptr;
bool access_of_running_kernel(const void *address, unsigned bytes, char how) {
  return running_map->access(address, bytes, how);
}

char code_of(const KernelArgument &argument) {
  return "pildf"[argument.index()];
}

} // namespace

HostProgram::HostProgram(ProgramSource source, const HostOptions &options, BinaryCache &cache)
    : source_(std::move(source)), options_(options) {
  if (options_.count)
    source_.text = "#define WEFT_COUNT_OPS\n" + source_.text;
  if (options_.warps)
    source_.text = "#define WEFT_COUNT_WARPS\n" + source_.text;
  const std::string command = compile_command(options_);
  const std::string key =
      hash_hex(fmt::format("{}\n{}\n{}", source_.text, command, WEFT_HOST_COMPILER_VERSION));
  std::optional<std::string> binary = cache.load("host_" + source_.name, key);
  if (!binary) {
    binary = compile(command);
    cache.store("host_" + source_.name, key, *binary);
  }
  open(*binary);
}

std::string HostProgram::compile(const std::string &command) const {
  const RunFolder directory(fs::temp_directory_path());
  const fs::path text = directory / "kernel.cpp", binary = directory / "kernel.so",
                 log = directory / "log";
  write_file(text, source_.text);
  const int status = std::system(
      fmt::format("{} '{}' -o '{}' 2> '{}'", command, text.string(), binary.string(), log.string())
          .c_str());
  if (status != 0)
    throw build_error(source_, "the host", read_file(log));
  return read_file(binary);
}

void HostProgram::open(const std::string &binary) {
  const RunFolder directory(fs::temp_directory_path());
  const fs::path file = directory / "kernel.so";
  write_file(file, binary);
  library_ = DynamicLibrary::open({file.string()});
  require(library_ != nullptr, "the host device cannot load a program it compiled");
  symbol<void (*)()>("weft_host_barrier") = barrier_of_running_group;
  symbol<void (*)(const char *)>("weft_host_fail") = fail;
  if (options_.warps)
    symbol<void (*)(const void *, const void *, unsigned, char)>("weft_host_step") =
        step_of_running_item;
  if (options_.count)
    symbol<bool (*)(const void *, unsigned, char)>("weft_host_access") = access_of_running_kernel;
}

template <typename T> T &HostProgram::symbol(const char *name) const {
  void *address = library_->find(name);
  require(address != nullptr, "a name of kernels/dialect/host.h is missing in a program");
  return *static_cast<T *>(address);
}

HostProgram::Kernel &HostProgram::find(const std::string &name) {
  Kernel &kernel = kernels_[name];
  if (kernel.call)
    return kernel;
  const char *(*signature)() = nullptr;
  if (!library_->load(kernel.call, ("weft_call_" + name).c_str()) ||
      !library_->load(signature, ("weft_signature_" + name).c_str()))
    throw Error(ErrorKind::invariant,
                {.what = fmt::format("program '{}' has no kernel '{}'", source_.name, name),
                 .allowed = join_names(source_.kernels)});
  kernel.signature = signature();
  return kernel;
}

std::int64_t HostProgram::run(const std::string &name, Launch size,
                              const std::vector<KernelArgument> &arguments) {
  const Kernel &kernel = find(name);
  std::string given;
  std::vector<void *> addresses(arguments.size()); // of the buffers
  std::vector<void *> pointers(arguments.size());  // to the arguments
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    given += code_of(arguments[i]);
    if (const Buffer *buffer = std::get_if<Buffer>(&arguments[i])) {
      addresses[i] = block_of(*buffer).host;
      pointers[i] = &addresses[i];
    } else {
      pointers[i] = std::visit(
          [](const auto &value) { return const_cast<void *>(static_cast<const void *>(&value)); },
          arguments[i]);
    }
  }
  if (given != kernel.signature)
    throw Error(
        ErrorKind::invariant,
        {.what = fmt::format("kernel '{}' is launched with the wrong arguments", name),
         .found = given,
         .allowed = kernel.signature + " (p: buffer, i: int32, l: int64, d: double, f: float)"});
  auto &item = symbol<WorkItem>("weft_item");
  failure.clear();
  WorkGroup group(static_cast<int>(size.group_size));
  const std::int64_t num_chosen =
      options_.sample > 0 ? std::min<std::int64_t>(options_.sample, size.groups) : size.groups;
  bool enough = false; // a group does so much that it stands for the others
  std::int64_t num_run = 0;
  for (; num_run < num_chosen && !enough; ++num_run) {
    const std::int64_t g = num_run * size.groups / num_chosen;
    item.group = static_cast<std::int32_t>(options_.reverse ? size.groups - 1 - g : g);
    item.num_groups = static_cast<std::int32_t>(size.groups);
    item.group_size = static_cast<std::int32_t>(size.group_size);
    item.group_serial = group_serial_++;
    item.local = 0;
    if (size.group_size == 1) { // a barrier has nobody to wait for
      kernel.call(pointers.data());
    } else {
      running_group = &group;
      const auto enter = [&](int local) {
        item.local = local;
        if (running_warps)
          running_warps->enter(local);
      };
      const bool together = group.run(
          enter, [&] { kernel.call(pointers.data()); }, options_.reverse);
      running_group = nullptr;
      if (running_warps && !running_warps->add_to(*running_counts))
        enough = true;
      if (!together)
        failure = "a barrier that some work-items of a group do not reach";
    }
    if (!failure.empty())
      throw Error(
          ErrorKind::invariant,
          {.what = failure, .where = fmt::format("kernel '{}', group {}", name, item.group)});
  }
  return num_run;
}

KernelCost HostProgram::take_counted() {
  const char **names = &symbol<const char *>("weft_counted_names");
  unsigned long long *counts = &symbol<unsigned long long>("weft_counted");
  KernelCost cost;
  Operations &operations = cost.operations;
  const std::map<std::string, double *> known = {
      {"add", &operations.additions},       {"multiply", &operations.multiplications},
      {"fma", &operations.multiply_adds},   {"divide", &operations.divisions},
      {"sqrt", &operations.roots},          {"abs", &operations.simple},
      {"sign", &operations.simple},         {"floor", &operations.simple},
      {"min", &operations.simple},          {"max", &operations.simple},
      {"stage_reads4", &cost.stage_reads4}, {"stage_reads1", &cost.stage_reads1},
      {"stage_adds4", &cost.stage_adds4},   {"stage_adds1", &cost.stage_adds1},
      {"local_bytes", &cost.local_bytes}};
  for (int i = 0; names[i]; ++i) {
    const auto count = static_cast<double>(std::exchange(counts[i], 0));
    if (const auto found = known.find(names[i]); found != known.end())
      *found->second += count;
    else if (count > 0)
      operations.functions[names[i]] += count;
  }
  return cost;
}

KernelCost HostProgram::run_counted(const std::string &kernel, Launch size,
                                    const std::vector<KernelArgument> &arguments,
                                    WarpCounts &warps) {
  AccessMap map(arguments);
  symbol<const char *>("weft_buffers_begin") = map.begin();
  symbol<const char *>("weft_buffers_end") = map.end();
  running_map = &map;
  std::optional<WarpTrace> trace;
  if (options_.warps && size.group_size > 1)
    trace.emplace(symbol<const void *>("weft_text_begin"), symbol<const void *>("weft_text_end"),
                  static_cast<int>(size.group_size), options_.sample > 0);
  running_warps = trace ? &*trace : nullptr;
  running_counts = &warps;
  take_counted();
  const std::int64_t num_run = run(kernel, size, arguments);
  running_map = nullptr;
  running_warps = nullptr;
  KernelCost cost = take_counted();
  map.add_to(cost);
  cost.work_groups = static_cast<double>(num_run);
  cost.work_items = static_cast<double>(num_run * size.group_size);
  cost.launches = 1;
  return cost;
}

} // namespace weft
