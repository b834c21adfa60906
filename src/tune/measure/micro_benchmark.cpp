#include "tune/measure/micro_benchmark.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/system/interruption.h"
#include "base/timer.h"
#include "device/dialect.h"

namespace weft {

namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;

template <typename Real>
Buffer upload_lanes(Device &device, const std::vector<double> &values, std::int64_t copies) {
  std::vector<Real> reals;
  reals.reserve(values.size() * copies);
  for (const double value : values)
    reals.insert(reals.end(), copies, static_cast<Real>(value));
  return upload(device, reals, "micro-benchmark");
}

Buffer upload_lanes(Device &device, Precision precision, const std::vector<double> &values,
                    std::int64_t copies) {
  return precision == Precision::f64 ? upload_lanes<double>(device, values, copies)
                                     : upload_lanes<float>(device, values, copies);
}

// How many repeats take `target_s`, whatever the launch takes besides.
std::int64_t choose_repeats(const std::function<double(std::int64_t)> &seconds, double target_s) {
  // The shortest of three: one that was interrupted would end the search at once.
  const auto undisturbed = [&](std::int64_t repeats) {
    return std::min({seconds(repeats), seconds(repeats), seconds(repeats)});
  };
  const double one_s = undisturbed(1);
  if (one_s > target_s)
    return 1;
  for (std::int64_t repeats = 4;; repeats *= 4) {
    const double more_s = undisturbed(repeats) - one_s;
    if (more_s > 0.25 * target_s)
      return 1 + static_cast<std::int64_t>(static_cast<double>(repeats - 1) * target_s / more_s);
  }
}

} // namespace

namespace {

constexpr std::uint64_t most_cache_a_core = 32 * mebi;

} // namespace

MicroSizes micro_sizes(const DeviceInfo &info, bool quick) {
  if (quick)
    return {.last_cache_bytes = mebi / 8, .array_bytes = mebi, .target_s = 1e-4};
  // Where the device does not say, a large one.
  const std::uint64_t cache = info.last_cache_bytes > 0 ? info.last_cache_bytes : 64 * mebi;
  const std::uint64_t wanted = std::max(4 * cache, (info.is_cpu ? 256 : 1024) * mebi);
  const std::uint64_t allowed = std::min(info.memory_bytes / 16, info.max_allocation_bytes);
  // A virtual machine names the cache of its host, most of which serves others; working sets of
  // several sizes up to twice the cache have to fit into memory, each benchmark's own.
  const std::uint64_t own =
      std::min(static_cast<std::uint64_t>(std::max(info.compute_units, 1)) * most_cache_a_core,
               std::max(info.memory_bytes / 512, mebi));
  return {.last_cache_bytes = std::min(cache, own),
          .array_bytes = std::bit_floor(std::min(wanted, allowed)),
          .target_s = 2e-3};
}

MicroShape micro_shape(const DeviceInfo &info, Precision precision) {
  const std::int64_t cores = info.compute_units;
  if (info.is_cpu)
    return {.lanes = info.native_lanes_f64 * (precision == Precision::f32 ? 2 : 1),
            .cores = {cores, 1},
            .wide = {cores * 8, 1}};
  const std::int64_t large = std::min(1024, info.max_work_group);
  return {.cores = {cores * 2, large},
          .groups_a_core = 2,
          .wide = {cores * 16, std::min<std::int64_t>(256, large)}};
}

Program build_micro_program(Device &device, Precision precision, int lanes, int chains,
                            const std::vector<std::string> &files,
                            const std::vector<std::string> &kernels, const std::string &constants) {
  std::string text = program_head(device.info().backend, precision, lanes) +
                     fmt::format("#define WEFT_CHAINS {}\n", chains) + constants;
  for (const std::string &file : files)
    text += embedded_text("kernels/machine/" + file + ".kernel");
  return device.build({.name = "machine_" + files.back(), .text = text, .kernels = kernels});
}

Buffer upload_repeated(Device &device, Precision precision, std::int64_t num_reals, double value) {
  return upload_lanes(device, precision, {value}, num_reals);
}

Buffer upload_constants(Device &device, Precision precision, int lanes) {
  return upload_lanes(device, precision, {0.5, 0.25, 1}, lanes);
}

double time_launch(Device &device, const Program &program, const std::string &kernel, Launch launch,
                   const std::vector<KernelArgument> &arguments) {
  throw_if_interrupted();
  device.finish();
  const Timer timer;
  device.launch(program, kernel, launch, arguments);
  device.finish();
  return timer.seconds();
}

MicroBenchmark rate_benchmark(Device &device, std::string figure, const Program &program,
                              const std::string &kernel, Launch launch,
                              const std::vector<KernelArgument> &arguments, double work) {
  return {std::move(figure), [=, &device] {
            return work / time_launch(device, program, kernel, launch, arguments) * 1e-9;
          }};
}

MicroBenchmark repeated_benchmark(Device &device, std::string figure, const Program &program,
                                  std::string kernel, Launch launch,
                                  std::vector<KernelArgument> arguments, double work,
                                  double target_s) {
  const auto chosen = std::make_shared<std::int64_t>(0);
  arguments.insert(arguments.begin(), std::int64_t{1});
  return {std::move(figure), [=, &device]() mutable {
            const auto seconds = [&](std::int64_t repeats) {
              arguments[0] = repeats;
              return time_launch(device, program, kernel, launch, arguments);
            };
            // A number chosen while something else took the cores is too small: chosen anew.
            for (int attempt = 0;; ++attempt) {
              if (*chosen == 0) {
                seconds(1); // compiles it
                *chosen = choose_repeats(seconds, target_s);
              }
              const double taken = seconds(*chosen);
              if (taken > 0.25 * target_s || attempt == 3)
                return work * static_cast<double>(*chosen) / taken * 1e-9;
              *chosen = 0;
            }
          }};
}

std::vector<std::uint64_t> working_sets(const DeviceInfo &info, const MicroSizes &sizes) {
  constexpr std::uint64_t smallest = 16 << 10;
  const std::uint64_t knee =
      3 * sizes.last_cache_bytes / 4 / info.compute_units / smallest * smallest;
  std::vector<std::uint64_t> sets = {smallest};
  while (sets.back() * info.compute_units < 4 * sizes.last_cache_bytes) {
    const std::uint64_t last = sets.back();
    if (knee > last && knee < 2 * last)
      sets.push_back(knee);
    sets.push_back(2 * last);
  }
  return sets;
}

} // namespace weft
