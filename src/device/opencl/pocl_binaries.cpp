#include "device/opencl/pocl_binaries.h"

#include <fmt/format.h>

namespace weft {

namespace {

namespace fs = std::filesystem;

// PoCL 3.1 has PROGRAM/KERNEL/SHAPE/KERNEL.so, PROGRAM being two levels of a hash.
const char *const shape_of_any_size = "0-0-0";

std::string shape_name(const LaunchedKernel &kernel) {
  return fmt::format("{}-1-1-goffs0{}", kernel.group_size, kernel.large ? "" : "-smallgrid");
}

void stand_in(const fs::path &program, const LaunchedKernel &launched) {
  std::error_code failure; // PoCL compiles then
  const fs::path kernel = program / launched.name, file = launched.name + ".so";
  const fs::path function = kernel / shape_name(launched) / file;
  const fs::path any_size = kernel / shape_of_any_size;
  if (!fs::exists(function, failure) || fs::exists(any_size / file, failure))
    return;
  fs::create_directories(any_size, failure);
  fs::create_hard_link(function, any_size / file, failure);
}

} // namespace

void stand_in_for_any_size(const fs::path &directory, const std::vector<LaunchedKernel> &launched) {
  std::error_code failure;
  for (const auto &first : fs::directory_iterator(directory, failure)) {
    if (!first.is_directory(failure))
      continue;
    for (const auto &program : fs::directory_iterator(first.path(), failure))
      for (const LaunchedKernel &kernel : launched)
        stand_in(program.path(), kernel);
  }
}

} // namespace weft
