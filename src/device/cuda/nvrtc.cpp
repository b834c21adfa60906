#include "device/cuda/nvrtc.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sstream>
#include <string_view>

#include "base/error.h"
#include "base/system/dynamic_library.h"
#include "device/build_log.h"

namespace weft {

namespace {

// The part of nvrtc.h in use; its interface has been stable since CUDA 11.2.
using NvrtcProgram = struct NvrtcProgramTag *;
constexpr int nvrtc_error_compilation = 6;

struct Nvrtc {
  std::unique_ptr<DynamicLibrary> library;
  int (*version)(int *major, int *minor) = nullptr;
  int (*num_architectures)(int *count) = nullptr;
  int (*architectures)(int *values) = nullptr;
  int (*create)(NvrtcProgram *, const char *text, const char *name, int num_headers,
                const char *const *headers, const char *const *header_names) = nullptr;
  int (*destroy)(NvrtcProgram *) = nullptr;
  int (*compile)(NvrtcProgram, int num_options, const char *const *options) = nullptr;
  int (*log_size)(NvrtcProgram, std::size_t *) = nullptr;
  int (*log)(NvrtcProgram, char *) = nullptr;
  int (*binary_size)(NvrtcProgram, std::size_t *) = nullptr;
  int (*binary)(NvrtcProgram, char *) = nullptr;
  int (*ptx_size)(NvrtcProgram, std::size_t *) = nullptr;
  int (*ptx)(NvrtcProgram, char *) = nullptr;
  const char *(*error_text)(int) = nullptr;
};

std::string &chosen_path() {
  static std::string path;
  return path;
}

Nvrtc open_nvrtc() {
  Nvrtc n;
  n.library = DynamicLibrary::open(chosen_path().empty()
                                       ? cuda_library_names("libnvrtc.so", {".13", ".12", ".11"})
                                       : std::vector<std::string>{chosen_path()});
  if (!n.library)
    return n;
  const DynamicLibrary &l = *n.library;
  const bool complete =
      l.load(n.version, "nvrtcVersion") &&
      l.load(n.num_architectures, "nvrtcGetNumSupportedArchs") &&
      l.load(n.architectures, "nvrtcGetSupportedArchs") && l.load(n.create, "nvrtcCreateProgram") &&
      l.load(n.destroy, "nvrtcDestroyProgram") && l.load(n.compile, "nvrtcCompileProgram") &&
      l.load(n.log_size, "nvrtcGetProgramLogSize") && l.load(n.log, "nvrtcGetProgramLog") &&
      l.load(n.binary_size, "nvrtcGetCUBINSize") && l.load(n.binary, "nvrtcGetCUBIN") &&
      l.load(n.ptx_size, "nvrtcGetPTXSize") && l.load(n.ptx, "nvrtcGetPTX") &&
      l.load(n.error_text, "nvrtcGetErrorString");
  if (!complete)
    n.library.reset();
  return n;
}

const Nvrtc &nvrtc() {
  static const Nvrtc loaded = open_nvrtc();
  return loaded;
}

void check_nvrtc(int status, const char *call) {
  if (status != 0)
    throw Error(ErrorKind::system, {.what = fmt::format("the NVRTC call {} failed", call),
                                    .found = nvrtc().error_text(status)});
}

} // namespace

void use_nvrtc(const std::string &path) {
  chosen_path() = path;
}

bool nvrtc_available() {
  return nvrtc().library != nullptr;
}

std::string nvrtc_version() {
  int major = 0, minor = 0;
  if (!nvrtc_available() || nvrtc().version(&major, &minor) != 0)
    return "";
  return fmt::format("{}.{}", major, minor);
}

std::vector<int> nvrtc_architectures() {
  int count = 0;
  if (!nvrtc_available() || nvrtc().num_architectures(&count) != 0)
    return {};
  std::vector<int> values(count);
  check_nvrtc(nvrtc().architectures(values.data()), "nvrtcGetSupportedArchs");
  return values;
}

namespace {

// A program of NVRTC, compiled; throws as compile_cuda() does.
class CompiledText {
public:
  CompiledText(const ProgramSource &source, const std::string &architecture,
               const std::vector<std::string> &more_options) {
    if (!nvrtc_available())
      throw Error(ErrorKind::system,
                  {.what = "NVIDIA's run-time compiler is not installed",
                   .allowed = "libnvrtc.so in the library path, $CUDA_HOME/lib64 or "
                              "/usr/local/cuda/lib64",
                   .remedy = "install the CUDA run-time compiler (package cuda-nvrtc), or use an "
                             "OpenCL device"});
    const Nvrtc &n = nvrtc();
    NvrtcProgram program = nullptr;
    check_nvrtc(n.create(&program, source.text.c_str(), "kernel.cu", 0, nullptr, nullptr),
                "nvrtcCreateProgram");
    program_.reset(program);
    // Warnings would hide the error: a program uses a part of the dialect only.
    std::vector<std::string> options = {"--gpu-architecture=" + architecture, "--std=c++17",
                                        "--disable-warnings"};
    options.insert(options.end(), more_options.begin(), more_options.end());
    std::vector<const char *> texts;
    for (const std::string &option : options)
      texts.push_back(option.c_str());
    const int status = n.compile(program, static_cast<int>(texts.size()), texts.data());
    if (status == nvrtc_error_compilation)
      throw build_error(source, "CUDA " + architecture, fetch(n.log_size, n.log).c_str());
    check_nvrtc(status, "nvrtcCompileProgram");
  }

  // One of NVRTC's pairs "size of a text, the text".
  std::string fetch(int (*size)(NvrtcProgram, std::size_t *),
                    int (*text)(NvrtcProgram, char *)) const {
    std::size_t bytes = 0;
    check_nvrtc(size(program_.get(), &bytes), "size of a result");
    std::string result(bytes, '\0');
    check_nvrtc(text(program_.get(), result.data()), "result");
    return result;
  }

private:
  struct Destroy {
    void operator()(NvrtcProgram program) const { nvrtc().destroy(&program); }
  };
  std::unique_ptr<NvrtcProgramTag, Destroy> program_;
};

} // namespace

std::string compile_cuda(const ProgramSource &source, const std::string &architecture) {
  const CompiledText text(source, architecture, {});
  return architecture.starts_with("sm_") ? text.fetch(nvrtc().binary_size, nvrtc().binary)
                                         : text.fetch(nvrtc().ptx_size, nvrtc().ptx);
}

// The assembler tells of one kernel after the other; numbers stand before what they are of.
std::vector<CudaKernelUse> cuda_kernel_use(const ProgramSource &source,
                                           const std::string &architecture) {
  const CompiledText text(source, architecture, {"--ptxas-options=-v"});
  std::istringstream log(text.fetch(nvrtc().log_size, nvrtc().log));
  std::vector<CudaKernelUse> uses;
  const auto number_before = [](const std::string &line, const std::string &what) {
    const std::size_t end = line.find(what);
    const std::size_t begin =
        end == std::string::npos ? end : line.find_last_not_of("0123456789", end - 1);
    return begin == std::string::npos ? 0 : std::atoi(line.c_str() + begin + 1);
  };
  for (std::string line; std::getline(log, line);) {
    constexpr std::string_view entry = "Compiling entry function '";
    if (const std::size_t at = line.find(entry); at != std::string::npos) {
      const std::size_t begin = at + entry.size();
      uses.push_back({.kernel = line.substr(begin, line.find('\'', begin) - begin)});
    }
    if (uses.empty())
      continue;
    CudaKernelUse &use = uses.back();
    use.registers += number_before(line, " registers");
    use.stack_bytes += number_before(line, " bytes stack frame");
    use.spilled_bytes +=
        number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    use.shared_bytes += number_before(line, " bytes smem");
  }
  return uses;
}

std::string compile_cuda_text(const std::string &text, const std::string &architecture) {
  return compile_cuda({.name = "kernel", .text = text}, architecture);
}

} // namespace weft
