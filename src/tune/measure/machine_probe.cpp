#include "tune/measure/machine_probe.h"

#include <algorithm>

namespace weft {

const std::vector<StreamKind> &MachineProbe::kinds() {
  static const std::vector<StreamKind> all = {
      {"read", 1},         {"read_ahead", 1}, {"copy", 2},  {"copy_stream", 2}, {"triad", 3},
      {"triad_stream", 3}, {"update", 2},     {"write", 1}, {"write_stream", 1}};
  return all;
}

MachineProbe::MachineProbe(Device &device, Precision precision, std::uint64_t array_bytes)
    : device_(device), precision_(precision), shape_(micro_shape(device.info(), precision)) {
  num_lanes_ = static_cast<std::int64_t>(array_bytes / (size_bytes(precision) * shape_.lanes));
  const std::uint64_t bytes = num_lanes_ * shape_.lanes * size_bytes(precision);
  a_ = device.allocate(bytes, "bandwidth probe");
  b_ = device.allocate(bytes, "bandwidth probe");
  c_ = device.allocate(bytes, "bandwidth probe");
  std::vector<std::string> kernels;
  for (const StreamKind &kind : kinds())
    kernels.push_back("stream_" + kind.name);
  streams_ = build_micro_program(device, precision, shape_.lanes, 1, {"stream"}, kernels);
  // Not zeros, which some machines store faster than other numbers.
  for (const Buffer &buffer : {a_, b_, c_})
    device.launch(streams_, "stream_write", shape_.wide, {num_lanes_, buffer});
  device.finish();
}

double MachineProbe::stream_gbps(const StreamKind &kind) {
  std::vector<KernelArgument> arguments = {num_lanes_, a_};
  if (kind.name != "update" && !kind.name.starts_with("write"))
    arguments.push_back(b_);
  if (kind.arrays == 3)
    arguments.push_back(c_);
  const double bytes = static_cast<double>(kind.arrays) * static_cast<double>(num_lanes_) *
                       shape_.lanes * static_cast<double>(size_bytes(precision_));
  return bytes * 1e-9 /
         time_launch(device_, streams_, "stream_" + kind.name, shape_.wide, arguments);
}

const StreamKind &MachineProbe::best_stream() {
  if (best_)
    return *best_;
  constexpr int passes = 5;
  double best = 0;
  for (const StreamKind &kind : kinds()) {
    if (kind.name.starts_with("write") || kind.name == "read_ahead")
      continue;
    std::vector<double> rates;
    for (int pass = 0; pass < passes; ++pass)
      rates.push_back(stream_gbps(kind));
    std::sort(rates.begin(), rates.end());
    if (rates[passes / 2] > best) {
      best = rates[passes / 2];
      best_ = kind;
    }
  }
  return *best_;
}

double MachineProbe::peak_gflops() {
  const MicroBenchmark benchmark = multiply_add_benchmark(device_, precision_, 10e-3);
  double best = 0;
  for (int pass = 0; pass < 5; ++pass)
    best = std::max(best, 2 * benchmark.measure());
  return best;
}

} // namespace weft
