// The machine that kernels ran on, as results name it.
#pragma once

#include <optional>
#include <string>

namespace weft {

// The machine that kernels ran on.
struct MachineRecord {
  std::string device;
  std::string driver;
  int cores = 0; // that the device used
  std::optional<double> stream_gbps;
  std::optional<double> peak_gflops_f64;
  std::optional<double> peak_gflops_f32;
};

} // namespace weft
