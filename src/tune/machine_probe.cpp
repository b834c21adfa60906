#include "tune/machine_probe.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/timer.h"
#include "kernel/integral_kernel.h"

namespace weft {

namespace {

// Independent multiply-adds a work-item: two units of latency four, with room.
constexpr int chains = 12;

} // namespace

const std::vector<StreamKind> &MachineProbe::kinds() {
  static const std::vector<StreamKind> all = {{"read", 1},  {"copy", 2},         {"copy_stream", 2},
                                              {"triad", 3}, {"triad_stream", 3}, {"update", 2}};
  return all;
}

MachineProbe::MachineProbe(Device &device, Precision precision, std::uint64_t array_bytes)
    : device_(device), precision_(precision) {
  const DeviceInfo &info = device.info();
  lanes_ = info.is_cpu ? info.native_lanes_f64 * (precision == Precision::f32 ? 2 : 1) : 1;
  num_lanes_ = static_cast<std::int64_t>(array_bytes / (size_bytes(precision) * lanes_));
  const std::uint64_t bytes = num_lanes_ * lanes_ * size_bytes(precision);
  a_ = device.allocate(bytes, "bandwidth probe");
  b_ = device.allocate(bytes, "bandwidth probe");
  c_ = device.allocate(bytes, "bandwidth probe");
  for (const Buffer &buffer : {a_, b_, c_})
    device.fill_zero(buffer, bytes);
  std::vector<std::string> kernels = {"multiply_add"};
  for (const StreamKind &kind : kinds())
    kernels.push_back("stream_" + kind.name);
  program_ = device.build({.name = "machine_probe",
                           .text = program_head(info.backend, precision, lanes_) +
                                   fmt::format("#define WEFT_CHAINS {}\n", chains) +
                                   embedded_text("kernels/machine/stream.kernel"),
                           .kernels = kernels});
  launch_ = info.is_cpu ? Launch{std::int64_t{info.compute_units} * 8, 1}
                        : Launch{std::int64_t{info.compute_units} * 16, 256};
  double best = 0;
  for (const StreamKind &kind : kinds()) {
    std::vector<double> rates;
    for (int pass = 0; pass < 5; ++pass)
      rates.push_back(stream_gbps(kind));
    std::sort(rates.begin(), rates.end());
    if (rates[2] > best) {
      best = rates[2];
      best_ = kind;
    }
  }
}

double MachineProbe::stream_gbps(const StreamKind &kind) {
  std::vector<KernelArgument> arguments = {num_lanes_, a_};
  if (kind.name != "update")
    arguments.push_back(b_);
  if (kind.arrays == 3)
    arguments.push_back(c_);
  device_.finish();
  const Timer timer;
  device_.launch(program_, "stream_" + kind.name, launch_, arguments);
  device_.finish();
  const double bytes = static_cast<double>(kind.arrays) * static_cast<double>(num_lanes_) * lanes_ *
                       static_cast<double>(size_bytes(precision_));
  return bytes / timer.seconds() * 1e-9;
}

double MachineProbe::peak_gflops() {
  const std::int64_t steps = device_.info().is_cpu ? 200000 : 20000;
  const double flops = 2.0 * chains * lanes_ * static_cast<double>(steps) *
                       static_cast<double>(launch_.groups * launch_.group_size);
  double best = 0;
  for (int pass = 0; pass < 5; ++pass) {
    device_.finish();
    const Timer timer;
    device_.launch(program_, "multiply_add", launch_, {steps, a_});
    device_.finish();
    best = std::max(best, flops / timer.seconds() * 1e-9);
  }
  return best;
}

} // namespace weft
