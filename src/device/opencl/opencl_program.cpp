#include "device/opencl/opencl_program.h"

#include <fmt/format.h>
#include <sstream>

#include "base/embedded.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/names.h"
#include "base/system/compile_room.h"
#include "device/build_log.h"
#include "device/compilations.h"
#include "device/opencl/opencl_info.h"
#include "device/opencl/pocl_binaries.h"

namespace weft {

namespace {

// Contraction to fma is allowed; NaN and infinity keep their meaning, for a solver must see them.
const char *build_options = "-cl-std=CL1.2 -cl-mad-enable -cl-no-signed-zeros -w";
// Makes PoCL leave out its declarations of functions.
const char *without_declarations = " -D_OPENCL_H_";
// Oclgrind 21.10 does not execute what its compiler makes of `restrict` and, where it optimises
// nothing, of functions in line that return structs.
const char *for_oclgrind = " -DWEFT_RESTRICT= -DWEFT_FUNCTION=static";

// Those that kernels use, for texts of ours: lines of a user's own C may use any. PoCL 3.1 was
// looked at.
std::string declarations_for(const ProgramSource &source, const DeviceInfo &info) {
  const bool is_ours = source.text.find("#line ") == std::string::npos;
  return is_ours && info.driver.find("PoCL 3.1") != std::string::npos
             ? embedded_text("src/device/opencl/pocl_builtins.cl")
             : "";
}

// Names of a program's entries in the cache. The first says that the text compiles, and is empty.
const std::string entry_compiles = "compiles";
const std::string entry_all = "all";
// PoCL (3.1, pocl_init_default_device_infos) compiles kernels once more, with indices of 16 bits,
// for grids of fewer work-items than this.
constexpr std::int64_t large_grid = 65535;

std::string build_log_of(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string text(size, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr);
  return text.c_str();
}

} // namespace

OpenClProgram::OpenClProgram(std::shared_ptr<OpenClSession> session,
                             std::shared_ptr<BinaryCache> cache, ProgramSource source,
                             const DeviceInfo &info, bool is_pocl)
    : session_(std::move(session)), cache_(std::move(cache)), source_(std::move(source)),
      device_(info.name), head_(declarations_for(source_, info)),
      options_(build_options + std::string(head_.empty() ? "" : without_declarations) +
               (is_oclgrind(info) ? for_oclgrind : "")),
      key_(hash_hex(fmt::format("{}{}\n{}\n{}\n{}", head_, source_.text, options_, info.driver,
                                info.identity))),
      binary_per_size_(is_pocl) {
  if (!cache_) {
    compile();
  } else if (binary_per_size_) {
    if (cache_->load(source_.name, key_of(entry_compiles)))
      return;
    compile();
    cache_->store(source_.name, key_of(entry_compiles), "");
  } else if (!from_cache(entry_all).program) {
    compile();
    store(entry_all, {source_.kernels.begin(), source_.kernels.end()});
  }
}

OpenClProgram::~OpenClProgram() {
  keep_launched();
}

void OpenClProgram::keep_launched() noexcept {
  if (kept_ || not_in_cache_.empty())
    return;
  kept_ = true; // PoCL hands out the same binary from now on
  try {
    store_launched();
  } catch (const std::exception &error) { // the next run compiles again
    log::debug("kernel cache: {} is not kept: {}", source_.name, error.what());
  }
}

std::string OpenClProgram::entry_of(const Shape &shape) {
  return fmt::format("size {} {}", shape.group_size, shape.large ? "large" : "small");
}

std::string OpenClProgram::key_of(const std::string &entry) const {
  return hash_hex(fmt::format("{} {}", key_, entry));
}

OpenClProgram::Compiled &OpenClProgram::from_cache(const std::string &entry) {
  const auto found = from_cache_.find(entry);
  return found != from_cache_.end() ? found->second : from_cache_[entry] = load(entry);
}

OpenClProgram::Compiled OpenClProgram::load(const std::string &name) const {
  const std::optional<std::string> entry = cache_->load(source_.name, key_of(name));
  if (!entry)
    return {};
  const std::size_t head = entry->find('\n');
  if (head == std::string::npos)
    return {};
  const std::size_t size = entry->size() - head - 1;
  const auto *bytes = reinterpret_cast<const unsigned char *>(entry->data() + head + 1);
  cl_int status = CL_SUCCESS;
  Compiled compiled;
  compiled.program = OpenClProgramHandle(clCreateProgramWithBinary(
      session_->context.get(), 1, &session_->device, &size, &bytes, nullptr, &status));
  if (status == CL_SUCCESS)
    status = clBuildProgram(compiled.program.get(), 1, &session_->device, options_.c_str(), nullptr,
                            nullptr);
  if (status != CL_SUCCESS) {
    log::debug("kernel cache: the driver refuses the binary of {} ({}): it is compiled again",
               source_.name, opencl_status_name(status));
    return {};
  }
  std::istringstream names(entry->substr(0, head));
  for (std::string name; names >> name;)
    compiled.held.insert(name);
  return compiled;
}

// Where processes share a folder of PoCL (POCL_CACHE_DIR), ranks of a run for one, each would
// compile every kernel, all at the same time; and one that builds a text may change a file between
// two steps of another's build of it, which then fails. So they take turns at what is the same.
std::unique_ptr<FileLock> OpenClProgram::turn_in_shared_folder() const {
  if (!binary_per_size_ || !pocl_keeps_kernels())
    return nullptr;
  constexpr int longest_wait_ms = 600'000; // then something is wrong with whoever has it
  std::error_code failure;                 // without the folder there is no lock
  std::filesystem::create_directories(pocl_folder(), failure);
  // A few hundred locks stand for all keys.
  const std::filesystem::path file = pocl_folder() / ("weft-turn-" + key_.substr(0, 2));
  return std::make_unique<FileLock>(file, longest_wait_ms);
}

void OpenClProgram::compile() {
  require_room_to_compile(pocl_folder());
  note_compilation();
  const char *texts[] = {head_.c_str(), source_.text.c_str()};
  const std::size_t lengths[] = {head_.size(), source_.text.size()};
  const std::unique_ptr<FileLock> turn = turn_in_shared_folder();
  cl_int status = CL_SUCCESS;
  from_text_.program = OpenClProgramHandle(
      clCreateProgramWithSource(session_->context.get(), 2, texts, lengths, &status));
  check_opencl(status, "clCreateProgramWithSource");
  status = clBuildProgram(from_text_.program.get(), 1, &session_->device, options_.c_str(), nullptr,
                          nullptr);
  if (status == CL_BUILD_PROGRAM_FAILURE)
    throw build_error(source_, device_, build_log_of(from_text_.program.get(), session_->device));
  check_opencl(status, "clBuildProgram");
}

void OpenClProgram::store(const std::string &entry, const std::set<std::string> &kernels) const {
  require_room_to_compile(pocl_folder()); // PoCL compiles for a binary once more
  cl_program program = from_text_.program.get();
  std::size_t size = 0;
  check_opencl(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
               "clGetProgramInfo");
  std::string binary(size, '\0');
  auto *bytes = reinterpret_cast<unsigned char *>(binary.data());
  check_opencl(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr),
               "clGetProgramInfo");
  std::string names;
  for (const std::string &name : kernels)
    names += name + " ";
  cache_->store(source_.name, key_of(entry), names + "\n" + binary);
}

void OpenClProgram::store_launched() {
  std::vector<LaunchedKernel> launched;
  for (const auto &[shape, kernels] : not_in_cache_)
    for (const std::string &kernel : kernels)
      launched.push_back({kernel, shape.group_size, shape.large});
  stand_in_for_any_size(pocl_scratch(), launched);
  for (const auto &[shape, kernels] : not_in_cache_) {
    const std::string entry = entry_of(shape);
    if (!cache_->load(source_.name, key_of(entry))) // another process may have been first
      store(entry, kernels);
    else
      for (const std::string &kernel : kernels)
        store(entry + " " + kernel, {kernel});
  }
}

cl_kernel OpenClProgram::kernel_of(Compiled &compiled, const std::string &name) {
  OpenClKernel &kernel = compiled.kernels[name];
  if (!kernel) {
    cl_int status = CL_SUCCESS;
    kernel = OpenClKernel(clCreateKernel(compiled.program.get(), name.c_str(), &status));
    if (status == CL_INVALID_KERNEL_NAME)
      throw Error(ErrorKind::invariant,
                  {.what = fmt::format("program '{}' has no kernel '{}'", source_.name, name),
                   .allowed = join_names(source_.kernels)});
    check_opencl(status, "clCreateKernel");
  }
  return kernel.get();
}

OpenClProgram::Shape OpenClProgram::shape_of(const Launch &size) {
  return {size.group_size, size.groups * size.group_size >= large_grid};
}

void OpenClProgram::load(const std::string &name, const Launch &size) {
  find_in_cache(name, shape_of(size));
}

OpenClProgram::Ready OpenClProgram::kernel(const std::string &name, const Launch &size) {
  const Shape shape = shape_of(size);
  cl_kernel &kernel = ready_[{shape, name}];
  if (kernel)
    return {kernel, nullptr};
  kernel = find_kernel(name, shape);
  return {kernel, turn_in_shared_folder()};
}

cl_kernel OpenClProgram::find_in_cache(const std::string &name, const Shape &shape) {
  if (!cache_)
    return nullptr;
  const std::string of_shape = entry_of(shape);
  const std::vector<std::string> entries =
      binary_per_size_ ? std::vector{of_shape, of_shape + " " + name} : std::vector{entry_all};
  for (const std::string &entry : entries)
    if (Compiled &compiled = from_cache(entry); compiled.held.contains(name))
      return kernel_of(compiled, name);
  return nullptr;
}

cl_kernel OpenClProgram::find_kernel(const std::string &name, const Shape &shape) {
  if (cl_kernel kept = find_in_cache(name, shape))
    return kept;
  if (!from_text_.program)
    compile();
  else
    require_room_to_compile(pocl_folder()); // PoCL goes on with it at the launch
  if (cache_ && binary_per_size_)
    not_in_cache_[shape].insert(name);
  return kernel_of(from_text_, name);
}

} // namespace weft
