// Asking PoCL for binaries without having it compile each kernel once more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace weft {

// A kernel that was launched in this process, in work-groups of this size.
struct LaunchedKernel {
  std::string name;
  std::int64_t group_size = 1;
  bool large = false; // grid: see OpenClProgram
};

// A binary of PoCL's holds of each kernel a function for work-groups of any size, and PoCL compiles
// it when it is asked for the binary, which takes as long as all compiling before (PoCL 3.1,
// program_compile_dynamic_wg_binaries). Weft launches kernels of a binary in no shape but those
// that it holds, so nobody calls that function: one that was launched is put in its place in
// `directory`, where PoCL keeps the files of this process. Kernels whose files are not where they
// are known to be are left to PoCL.
void stand_in_for_any_size(const std::filesystem::path &directory,
                           const std::vector<LaunchedKernel> &launched);

} // namespace weft
