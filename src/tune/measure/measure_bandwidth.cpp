// Bandwidth of memory by kind of access, and of the caches by working set.
#include <fmt/format.h>

#include "tune/measure/machine_probe.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {

std::vector<MicroBenchmark> memory_benchmarks(Device &device, Precision precision,
                                              const MicroSizes &sizes) {
  const auto probe = std::make_shared<MachineProbe>(device, precision, sizes.array_bytes);
  std::vector<MicroBenchmark> benchmarks;
  for (const StreamKind &kind : MachineProbe::kinds())
    benchmarks.push_back({fmt::format("memory.{}.{}.gbps", kind.name, to_string(precision)),
                          [probe, kind] { return probe->stream_gbps(kind); }});
  return benchmarks;
}

std::vector<MicroBenchmark> local_benchmarks(Device &device, Precision precision,
                                             const MicroSizes &sizes) {
  if (device.info().is_cpu)
    return {};
  const MicroShape shape = micro_shape(device.info(), precision);
  constexpr int chains = 8;
  const std::int64_t group_size = shape.wide.group_size;
  const Program program =
      build_micro_program(device, precision, shape.lanes, chains, {"local"}, {"local_read"},
                          fmt::format("#define WEFT_GROUP_SIZE {}\n", group_size));
  const Buffer constants = upload_constants(device, precision, shape.lanes);
  const Buffer result = device.allocate(size_bytes(precision), "micro-benchmark");
  const double bytes = static_cast<double>(chains * size_bytes(precision)) *
                       static_cast<double>(shape.wide.groups * group_size);
  return {repeated_benchmark(device, fmt::format("local.read.{}.gbps", to_string(precision)),
                             program, "local_read", shape.wide, {constants, result}, bytes,
                             sizes.target_s)};
}

std::vector<MicroBenchmark> cache_benchmarks(Device &device, Precision precision,
                                             const MicroSizes &sizes) {
  const DeviceInfo &info = device.info();
  const MicroShape shape = micro_shape(info, precision);
  // On GPUs the other threads keep loads in flight, and the smallest set has one real a thread.
  const int chains = info.is_cpu ? 8 : 1;
  const Program program = build_micro_program(device, precision, shape.lanes, chains, {"cache"},
                                              {"cache_read", "cache_copy"});
  const std::vector<std::uint64_t> sets = working_sets(info, sizes);
  const std::int64_t num_reals =
      static_cast<std::int64_t>(sets.back() / size_bytes(precision)) * info.compute_units;
  const Buffer values = upload_repeated(device, precision, num_reals, 0);
  const Buffer result = device.allocate(shape.lanes * size_bytes(precision), "micro-benchmark");
  std::vector<MicroBenchmark> benchmarks;
  for (const std::uint64_t bytes : sets) {
    const auto num_lanes = static_cast<std::int64_t>(bytes / size_bytes(precision) / shape.lanes /
                                                     shape.groups_a_core);
    const double all_bytes = static_cast<double>(bytes) * info.compute_units;
    benchmarks.push_back(
        repeated_benchmark(device, fmt::format("cache.read.{}.gbps", bytes), program, "cache_read",
                           shape.cores, {num_lanes, values, result}, all_bytes, sizes.target_s));
    benchmarks.push_back(repeated_benchmark(device, fmt::format("cache.copy.{}.gbps", bytes),
                                            program, "cache_copy", shape.cores, {num_lanes, values},
                                            all_bytes, sizes.target_s));
  }
  return benchmarks;
}

} // namespace weft
