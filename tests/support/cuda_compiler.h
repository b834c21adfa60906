// A device that says it is a CUDA GPU, compiles what it is given with NVRTC and runs nothing.
#pragma once

#include <functional>
#include <set>

#include "support/build_only_device.h"
#include "support/need_nvrtc.h"

namespace weft {

class CudaCompiler : public BuildOnlyDevice {
public:
  CudaCompiler() : BuildOnlyDevice(gpu_info()) { need_nvrtc(); }
  Program build(const ProgramSource &source) override {
    static std::set<std::size_t> compiled; // hashes of texts: equal ones are compiled once
    const std::size_t text = std::hash<std::string>{}(source.text);
    if (!compiled.contains(text) && compile_cuda(source, "sm_90").substr(1, 3) == "ELF")
      compiled.insert(text);
    binaries_ += compiled.contains(text) ? 1 : 0;
    return {};
  }
  // Programs that were built.
  int binaries() const { return binaries_; }

private:
  static DeviceInfo gpu_info() {
    DeviceInfo info;
    info.selector = info.name = info.identity = "sm_90";
    info.backend = "cuda";
    info.memory_bytes = info.max_allocation_bytes = std::uint64_t{1} << 37;
    info.local_memory_bytes = 48 << 10;
    info.max_work_group = 1024;
    info.compute_units = 132;
    info.has_f16 = true;
    return info;
  }
  int binaries_ = 0;
};

} // namespace weft
