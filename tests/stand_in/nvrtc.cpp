// A stand-in for NVIDIA's libnvrtc: compiles CUDA texts for the host, with the host's C++ compiler,
// for the stand-in of the driver. It has the calls that src/device/cuda/nvrtc.cpp makes, refuses
// options that are not Weft's, and text that has more of CUDA than tests/stand_in/kernel.h.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/system/run_folder.h"
#include "stand_in/image.h"

namespace {

namespace fs = std::filesystem;
using namespace weft::stand_in;

enum Status : int { // nvrtcResult
  success = 0,
  out_of_memory = 1,
  invalid_input = 3,
  invalid_program = 4,
  invalid_option = 5,
  compilation = 6,
};

constexpr int architectures[] = {50, 52, 60, 70, 75, 80, 86, 89, 90};

struct Program {
  std::string text, name;
  std::string log = {}, cubin = {},
              ptx = {}; // empty: not asked for by the options, or not compiled
};

std::string read_file(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const fs::path &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The instructions that kernel files have, as calls of kernel.h.
const std::map<std::string, std::string> calls = {
    {"cvt.f64.f16 %0, %1;", "stand_in_from_f16<double>"},
    {"cvt.f32.f16 %0, %1;", "stand_in_from_f16<float>"},
    {"cvt.rn.f16.f64 %0, %1;", "stand_in_to_f16<double>"},
    {"cvt.rn.f16.f32 %0, %1;", "stand_in_to_f16<float>"},
    {"fma.rn.f16x2 %0, %1, %2, %3;", "stand_in_fma_f16x2"},
};

// Replaces asm("..." : "=d"(to) : "h"(from), ...). Returns the instruction that it does not know;
// empty: there is none.
std::string replace_ptx(std::string &text) {
  const std::regex ptx(
      R"rx(asm\(((?:"[^"]*"\s*)+):\s*"=[^(]*\((\w+)\)\s*:((?:[\s,]*"[^(]*\(\w+\))+)\s*\))rx");
  const std::regex constraint(R"rx(("\w"\s*)+)rx");
  std::string result;
  auto at = text.cbegin();
  for (std::smatch found; std::regex_search(at, text.cend(), found, ptx);) {
    const std::string instruction =
        std::regex_replace(found[1].str(), std::regex(R"rx("\s*"|^"|"\s*$)rx"), "");
    const auto call = calls.find(instruction);
    if (call == calls.end())
      return instruction;
    result.append(at, found[0].first);
    result += found[2].str() + " = " + call->second + "(" +
              std::regex_replace(found[3].str(), constraint, "") + ")";
    at = found[0].second;
  }
  result.append(at, text.cend());
  text = result;
  return "";
}

// The kernels' names; their mark is taken away.
std::vector<std::string> take_kernels(std::string &text) {
  const std::regex head(R"(\b__global__\s+void\s+(\w+)\s*\()");
  std::vector<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), head), end; found != end; ++found)
    names.push_back((*found)[1]);
  text = std::regex_replace(text, std::regex(R"(\b__global__\b)"), "");
  return names;
}

std::string entries_of(const std::vector<std::string> &kernels) {
  std::string text =
      "\nextern \"C\" __attribute__((weak, visibility(\"hidden\"))) char __start_stand_in_block;\n"
      "extern \"C\" __attribute__((weak, visibility(\"hidden\"))) char __stop_stand_in_block;\n"
      "STAND_IN_EXPORT void stand_in_shared(char **begin, char **end) {\n"
      "  *begin = &__start_stand_in_block;\n  *end = &__stop_stand_in_block;\n}\n";
  for (const std::string &name : kernels)
    text += "STAND_IN_EXPORT void stand_in_run_" + name + "(void **values) { stand_in_run(" + name +
            ", values); }\n" + "STAND_IN_EXPORT const int *stand_in_sizes_" + name +
            "() { return stand_in_sizes(" + name + "); }\n";
  // The last line of a text may be a macro's.
  return "\n#define STAND_IN_EXPORT extern \"C\" __attribute__((visibility(\"default\"), used))" +
         text;
}

Status run(const std::string &command, const fs::path &folder, Program &program) {
  if (std::system((command + " 2> '" + (folder / "log").string() + "'").c_str()) == 0)
    return success;
  program.log = read_file(folder / "log");
  return compilation;
}

// Contraction and uninitialised variables as on the host device: results are what the text says.
Status compile(Program &program, int capability, std::string &library) {
  const weft::RunFolder folder(fs::temp_directory_path());
  const fs::path &path = folder.path();
  const std::string compiler = "LC_ALL=C '" WEFT_STAND_IN_COMPILER
                               "' -std=c++17 -w -fPIC -shared -O1 "
                               "-ffp-contract=off -fvisibility=hidden "
                               "-ftrivial-auto-var-init=pattern -D__CUDA_ARCH__=" +
                               std::to_string(10 * capability) + " ";
  write_file(path / "in.cpp", read_file(WEFT_STAND_IN_KERNEL_H) + "#line 1 \"" + program.name +
                                  "\"\n" + program.text);
  if (const Status status = run(compiler + "-E '" + (path / "in.cpp").string() + "' -o '" +
                                    (path / "kernel.ii").string() + "'",
                                path, program))
    return status;
  std::string text = read_file(path / "kernel.ii");
  if (const std::string unknown = replace_ptx(text); !unknown.empty()) {
    program.log = "the stand-in for NVRTC does not know this PTX: " + unknown;
    return compilation;
  }
  const std::vector<std::string> kernels = take_kernels(text);
  write_file(path / "kernel.cpp", text + entries_of(kernels));
  const Status status = run(compiler + "'" + (path / "kernel.cpp").string() + "' -o '" +
                                (path / "kernel.so").string() + "'",
                            path, program);
  if (status == success)
    library = read_file(path / "kernel.so");
  return status;
}

std::string make_cubin(int capability, const std::string &library) {
  CubinHead head{};
  std::memcpy(head.magic, cubin_magic, sizeof head.magic);
  head.capability = capability;
  head.bytes = static_cast<std::int64_t>(library.size());
  return std::string(reinterpret_cast<const char *>(&head), sizeof head) + library;
}

std::string make_ptx(int capability, const std::string &library) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = ptx_magic + std::to_string(capability) + "\n";
  for (const unsigned char byte : library)
    text += {digits[byte / 16], digits[byte % 16]};
  return text;
}

int copy_out(const std::string &text, std::size_t extra, std::size_t *bytes, char *to) {
  if (text.empty() && extra == 0) // a cubin that was not made
    return invalid_program;
  if (bytes)
    *bytes = text.size() + extra;
  if (to)
    std::memcpy(to, text.c_str(), text.size() + extra);
  return success;
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int nvrtcVersion(int *major, int *minor) {
  *major = 12;
  *minor = 0;
  return success;
}

EXPORT int nvrtcGetNumSupportedArchs(int *count) {
  *count = std::size(architectures);
  return success;
}

EXPORT int nvrtcGetSupportedArchs(int *values) {
  std::copy(std::begin(architectures), std::end(architectures), values);
  return success;
}

EXPORT int nvrtcCreateProgram(Program **program, const char *text, const char *name,
                              int num_headers, const char *const *, const char *const *) {
  if (!program || !text || num_headers != 0)
    return invalid_input;
  *program = new Program{.text = text, .name = name ? name : "default_program"};
  return success;
}

EXPORT int nvrtcDestroyProgram(Program **program) {
  if (!program || !*program)
    return invalid_program;
  delete *program;
  *program = nullptr;
  return success;
}

EXPORT int nvrtcCompileProgram(Program *program, int num_options, const char *const *options) {
  if (!program)
    return invalid_program;
  int capability = 0;
  bool real = false;
  for (int i = 0; i < num_options; ++i) {
    const std::string option = options[i];
    std::smatch found;
    if (std::regex_match(option, found, std::regex("--gpu-architecture=(sm|compute)_([0-9]+)"))) {
      capability = std::stoi(found[2]);
      real = found[1] == "sm";
    } else if (option != "--std=c++17" && option != "--disable-warnings") {
      return invalid_option;
    }
  }
  if (std::find(std::begin(architectures), std::end(architectures), capability) ==
      std::end(architectures))
    return invalid_option;
  std::string library;
  const Status status = compile(*program, capability, library);
  if (status == success) {
    program->ptx = make_ptx(capability, library);
    program->cubin = real ? make_cubin(capability, library) : "";
  }
  return status;
}

// Texts come with the zero at their end.
EXPORT int nvrtcGetProgramLogSize(Program *program, std::size_t *bytes) {
  return program ? copy_out(program->log, 1, bytes, nullptr) : invalid_program;
}
EXPORT int nvrtcGetProgramLog(Program *program, char *log) {
  return program ? copy_out(program->log, 1, nullptr, log) : invalid_program;
}
EXPORT int nvrtcGetPTXSize(Program *program, std::size_t *bytes) {
  return program && !program->ptx.empty() ? copy_out(program->ptx, 1, bytes, nullptr)
                                          : invalid_program;
}
EXPORT int nvrtcGetPTX(Program *program, char *ptx) {
  return program && !program->ptx.empty() ? copy_out(program->ptx, 1, nullptr, ptx)
                                          : invalid_program;
}
EXPORT int nvrtcGetCUBINSize(Program *program, std::size_t *bytes) {
  return program ? copy_out(program->cubin, 0, bytes, nullptr) : invalid_program;
}
EXPORT int nvrtcGetCUBIN(Program *program, char *cubin) {
  return program ? copy_out(program->cubin, 0, nullptr, cubin) : invalid_program;
}

EXPORT const char *nvrtcGetErrorString(int status) {
  switch (status) {
  case success:
    return "NVRTC_SUCCESS";
  case out_of_memory:
    return "NVRTC_ERROR_OUT_OF_MEMORY";
  case invalid_input:
    return "NVRTC_ERROR_INVALID_INPUT";
  case invalid_program:
    return "NVRTC_ERROR_INVALID_PROGRAM";
  case invalid_option:
    return "NVRTC_ERROR_INVALID_OPTION";
  case compilation:
    return "NVRTC_ERROR_COMPILATION";
  default:
    return "NVRTC_ERROR unknown";
  }
}
