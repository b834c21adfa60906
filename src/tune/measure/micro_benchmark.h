// A micro-benchmark: a kernel timed for one figure of the machine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/precision.h"
#include "device/device.h"

namespace weft {

// A figure and how it is measured once; waits for the device.
struct MicroBenchmark {
  std::string figure;
  std::function<double()> measure;
};

// Sizes that the benchmarks of a device share.
struct MicroSizes {
  std::uint64_t last_cache_bytes = 0;
  std::uint64_t array_bytes = 0; // of an array in memory, several times the last cache
  double target_s = 0;           // how long a kernel that repeats its work is made to run
};
// `quick`: small ones, for tests; what they measure is not the machine's memory then.
MicroSizes micro_sizes(const DeviceInfo &info, bool quick);

// Reals of a lane as the device computes best; what follows for launches.
struct MicroShape {
  int lanes = 1;
  Launch cores; // as many work-groups as keep every core busy with one set of data each
  int groups_a_core = 1;
  Launch wide; // more, for streams and chains of arithmetic
};
MicroShape micro_shape(const DeviceInfo &info, Precision precision);

// Kernel files of kernels/machine, by their names without ".kernel", after the dialect and
// `constants`. `chains`: WEFT_CHAINS, values that a work-item computes at once.
Program build_micro_program(Device &device, Precision precision, int lanes, int chains,
                            const std::vector<std::string> &files,
                            const std::vector<std::string> &kernels,
                            const std::string &constants = "");

// Memory for num_reals reals, all `value`.
Buffer upload_repeated(Device &device, Precision precision, std::int64_t num_reals, double value);
// Lanes of 1/2, 1/4, 1: x, y, z of arithmetic.kernel.
Buffer upload_constants(Device &device, Precision precision, int lanes);

// Seconds from the launch to the end of finish(); what was queued before is waited for first.
double time_launch(Device &device, const Program &program, const std::string &kernel, Launch launch,
                   const std::vector<KernelArgument> &arguments);

// A benchmark that gives 1e9 units of work a second. `work`: units one launch does.
MicroBenchmark rate_benchmark(Device &device, std::string figure, const Program &program,
                              const std::string &kernel, Launch launch,
                              const std::vector<KernelArgument> &arguments, double work);

// The same for a kernel whose first argument, an i64, says how often it repeats its work; it is
// chosen at the first measurement so that a launch takes `target_s` and its latency vanishes.
// `work`: units of one repeat.
MicroBenchmark repeated_benchmark(Device &device, std::string figure, const Program &program,
                                  std::string kernel, Launch launch,
                                  std::vector<KernelArgument> arguments, double work,
                                  double target_s);

// Working sets of one core, in bytes: powers of two from 16 KiB until all cores' together are at
// least four times the last cache, and three quarters of a core's share of it, up to where rates
// fall little: from there on they fall too fast to be told from sets of half and twice the size.
std::vector<std::uint64_t> working_sets(const DeviceInfo &info, const MicroSizes &sizes);

// Text of `weft_table`, [point][node][3]: coefficients of sums over the nodes at each point.
std::string point_table(int nodes, int points, Precision precision);

// Multiply-adds for each real read, of the roofline.
inline constexpr int roofline_depths[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

// The families; measure_machine.h says what their figures mean.
std::vector<MicroBenchmark> memory_benchmarks(Device &device, Precision precision,
                                              const MicroSizes &sizes);
std::vector<MicroBenchmark> cache_benchmarks(Device &device, Precision precision,
                                             const MicroSizes &sizes);
// Benchmarks of local memory, where it is a memory of its own.
std::vector<MicroBenchmark> local_benchmarks(Device &device, Precision precision,
                                             const MicroSizes &sizes);
std::vector<MicroBenchmark> arithmetic_benchmarks(Device &device, Precision precision,
                                                  const MicroSizes &sizes);
std::vector<MicroBenchmark> contraction_benchmarks(Device &device, Precision precision,
                                                   const MicroSizes &sizes);
// `storage`: of the numbers read; those of another precision than `precision` are converted.
std::vector<MicroBenchmark> roofline_benchmarks(Device &device, Precision precision,
                                                const MicroSizes &sizes, Precision storage);
std::vector<MicroBenchmark> indirect_benchmarks(Device &device, Precision precision,
                                                const MicroSizes &sizes);
std::vector<MicroBenchmark> latency_benchmarks(Device &device);
// The figure that says in which state the cores are. On CPUs that of a mix of gathers,
// multiply-adds and additions (mixed.kernel): what disturbs a core - a neighbour on its other
// hyperthread above all - slows it, while chains of multiply-adds may not notice. On GPUs, which
// share no cores, that of multiply-adds.
MicroBenchmark core_benchmark(Device &device, Precision precision, double target_s);

// rate.multiply_add.f16; none where the device has no such arithmetic.
std::vector<MicroBenchmark> half_benchmarks(Device &device, const MicroSizes &sizes);

// All of them, their kernels built and not yet run.
std::vector<MicroBenchmark> machine_benchmarks(Device &device, const MicroSizes &sizes);

// rate.multiply_add alone.
MicroBenchmark multiply_add_benchmark(Device &device, Precision precision, double target_s);

} // namespace weft
