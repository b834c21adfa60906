// The NVRTC that tests compile CUDA texts with: what scripts/install_tool nvrtc puts into
// build/nvrtc, so that it is the same version everywhere; where that is missing, the machine's own.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "device/cuda/nvrtc.h"

namespace weft {

inline const bool chooses_test_nvrtc = [] { // before main(), and so before any device is opened
  const std::string path = WEFT_SOURCE_DIR "/build/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
  const bool is_there = std::filesystem::exists(path);
  if (is_there)
    use_nvrtc(path);
  return is_there;
}();

// A test that calls this fails without NVRTC.
inline void need_nvrtc() {
  if (!nvrtc_available())
    throw std::runtime_error("NVRTC is missing, with which this test compiles CUDA text: run "
                             "scripts/install_tool nvrtc, as scripts/test does, which puts it into "
                             "build/nvrtc");
}

} // namespace weft
