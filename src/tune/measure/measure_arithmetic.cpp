// Rates of arithmetic and elementary functions, and how they meet the bandwidth (roofline).
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "base/stored_numbers.h"
#include "device/dialect.h"
#include "kernel/cell/basis_tables.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {

namespace {

// On CPUs two units of latency four, with room; on GPUs the other threads hide latencies.
constexpr int chains_cpu = 12, chains_gpu = 4;
constexpr int chains_of_functions = 2; // as functions.kernel has them
// Input and result of each chain are in registers.
constexpr int chains_of_roofline_cpu = 8, chains_of_roofline_gpu = 4;

// Benchmarks of some of the operations in kernel files.
std::vector<MicroBenchmark> rate_benchmarks(Device &device, Precision precision, double target_s,
                                            const std::vector<std::string> &files,
                                            const std::vector<std::string> &operations) {
  const MicroShape shape = micro_shape(device.info(), precision);
  const int chains = device.info().is_cpu ? chains_cpu : chains_gpu;
  std::vector<std::string> kernels;
  for (const std::string &name : operations)
    kernels.push_back("rate_" + name);
  const Program program =
      build_micro_program(device, precision, shape.lanes, chains, files, kernels);
  const Buffer constants = upload_constants(device, precision, shape.lanes);
  const Buffer result = device.allocate(shape.lanes * size_bytes(precision), "micro-benchmark");
  const bool functions = files.back() == "functions";
  const double work = (functions ? chains_of_functions : chains) *
                      static_cast<double>(shape.lanes) *
                      static_cast<double>(shape.wide.groups * shape.wide.group_size);
  std::vector<MicroBenchmark> benchmarks;
  for (const std::string &name : operations) {
    const int kinds = name == "multiply_add_and_add" ? 2 : 1; // with chains of each
    benchmarks.push_back(repeated_benchmark(
        device, fmt::format("rate.{}.{}.gops", name, to_string(precision)), program, "rate_" + name,
        shape.wide, {constants, result}, kinds * work, target_s));
  }
  return benchmarks;
}

} // namespace

std::vector<MicroBenchmark> arithmetic_benchmarks(Device &device, Precision precision,
                                                  const MicroSizes &sizes) {
  auto benchmarks = rate_benchmarks(
      device, precision, sizes.target_s, {"arithmetic"},
      {"multiply_add", "add", "multiply_add_and_add", "multiply", "divide", "sqrt", "min", "abs"});
  for (MicroBenchmark &benchmark :
       rate_benchmarks(device, precision, sizes.target_s, {"arithmetic", "functions"},
                       {"exp", "log", "sin", "cos", "tanh", "pow"}))
    benchmarks.push_back(std::move(benchmark));
  return benchmarks;
}

std::string point_table(int nodes, int points, Precision precision) {
  std::vector<double> table;
  for (int i = 0; i < points * nodes * 3; ++i)
    table.push_back(0.01 * (1 + i * 37 % 101) * (i % 2 == 0 ? 1 : -1));
  return table_definition("weft_table", table, precision);
}

std::vector<MicroBenchmark> contraction_benchmarks(Device &device, Precision precision,
                                                   const MicroSizes &sizes) {
  const MicroShape shape = micro_shape(device.info(), precision);
  const Buffer constants = upload_constants(device, precision, shape.lanes);
  const Buffer result = device.allocate(shape.lanes * size_bytes(precision), "micro-benchmark");
  std::vector<MicroBenchmark> benchmarks;
  // Nodes and points of the second and the third order on tetrahedra.
  for (const auto &[name, nodes, components, points] : {std::tuple{"contract_unrolled", 10, 1, 4},
                                                        {"contract_spilled", 10, 3, 4},
                                                        {"contract_spilled_points", 10, 3, 4},
                                                        {"contract_loop", 20, 1, 14}}) {
    const std::string text =
        fmt::format("#define WEFT_NODES {}\n#define WEFT_COMPONENTS {}\n#define WEFT_POINTS {}\n",
                    nodes, components, points) +
        point_table(nodes, points, precision);
    const Program program =
        build_micro_program(device, precision, shape.lanes, 1, {"contraction"}, {name}, text);
    benchmarks.push_back(
        repeated_benchmark(device, fmt::format("rate.{}.{}.gops", name, to_string(precision)),
                           program, name, shape.wide, {constants, result},
                           (6.0 * nodes + 21) * components * points * shape.lanes *
                               static_cast<double>(shape.wide.groups * shape.wide.group_size),
                           sizes.target_s));
  }
  return benchmarks;
}

std::vector<MicroBenchmark> half_benchmarks(Device &device, const MicroSizes &sizes) {
  const DeviceInfo &info = device.info();
  if (!info.has_f16)
    return {};
  const MicroShape shape = micro_shape(info, Precision::f32);
  const int chains = info.is_cpu ? chains_cpu : chains_gpu, halves = 2 * shape.lanes;
  const Program program = build_micro_program(device, Precision::f32, shape.lanes, chains, {"half"},
                                              {"rate_multiply_add_half"},
                                              fmt::format("#define WEFT_HALVES {}\n", halves));
  const Buffer constants =
      upload(device, std::vector<std::uint16_t>{0x3800, 0x3400}, "micro-benchmark");
  const Buffer result = device.allocate(sizeof(std::uint16_t), "micro-benchmark");
  const double work = static_cast<double>(chains * halves) *
                      static_cast<double>(shape.wide.groups * shape.wide.group_size);
  return {repeated_benchmark(device, "rate.multiply_add.f16.gops", program,
                             "rate_multiply_add_half", shape.wide, {constants, result}, work,
                             sizes.target_s)};
}

MicroBenchmark multiply_add_benchmark(Device &device, Precision precision, double target_s) {
  return rate_benchmarks(device, precision, target_s, {"arithmetic"}, {"multiply_add"}).front();
}

std::vector<MicroBenchmark> roofline_benchmarks(Device &device, Precision precision,
                                                const MicroSizes &sizes, Precision storage) {
  const MicroShape shape = micro_shape(device.info(), precision);
  const int chains = device.info().is_cpu ? chains_of_roofline_cpu : chains_of_roofline_gpu;
  const std::int64_t step = chains * shape.wide.groups * shape.wide.group_size;
  // Half an array does: it is still larger than the last cache.
  const auto half = static_cast<std::int64_t>(sizes.array_bytes / 2 / size_bytes(storage));
  const std::int64_t num_lanes = std::max<std::int64_t>(1, half / shape.lanes / step) * step;
  const Program program =
      build_micro_program(device, precision, shape.lanes, chains, {"roofline"}, {"roofline"},
                          stored_dialect_text(device.info().backend) +
                              fmt::format("#define WEFT_VALUE {}\n", to_string(storage)));
  const std::vector<double> halves(num_lanes * shape.lanes, 0.5);
  const Buffer values = upload(device, stored_numbers(halves, storage), "micro-benchmark");
  const Buffer result = device.allocate(shape.lanes * size_bytes(precision), "micro-benchmark");
  const KernelArgument term =
      precision == Precision::f64 ? KernelArgument{0.25} : KernelArgument{0.25F};
  std::vector<MicroBenchmark> benchmarks;
  for (const int depth : roofline_depths)
    benchmarks.push_back(rate_benchmark(
        device, fmt::format("roofline.{}.{}.gflops", depth, to_string(storage)), program,
        "roofline", shape.wide, {num_lanes, std::int32_t{depth}, term, values, result},
        2.0 * depth * shape.lanes * static_cast<double>(num_lanes)));
  return benchmarks;
}

} // namespace weft
