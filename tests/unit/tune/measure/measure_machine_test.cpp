// What is measured of a machine: every documented figure, and what any figure has to be. Nothing
// here depends on how fast the machine is.
#include "tune/measure/measure_machine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

#include "base/error.h"
#include "device/host/host_device.h"
#include "device/open/open_device.h"
#include "support/build_only_device.h"
#include "support/need_nvrtc.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {
namespace {

// The names that measure_machine.h lists, for the working sets of a device.
std::set<std::string> documented(const DeviceInfo &info, const std::vector<std::uint64_t> &sets) {
  std::set<std::string> names = {"latency.finish.us", "latency.launch.us", "latency.group.us"};
  const std::string widest = info.has_f64 ? "f64" : "f32";
  for (const char *kind : {"read", "read_ahead", "copy", "copy_stream", "triad", "triad_stream",
                           "update", "write", "write_stream"})
    names.insert(fmt::format("memory.{}.{}.gbps", kind, widest));
  for (const std::uint64_t bytes : sets)
    for (const char *kind : {"read", "copy"})
      names.insert(fmt::format("cache.{}.{}.gbps", kind, bytes));
  for (const std::string p : {"f64", "f32"}) {
    if (p == "f64" && !info.has_f64)
      continue;
    for (const char *operation :
         {"multiply_add", "add", "multiply_add_and_add", "multiply", "divide", "sqrt", "min", "abs",
          "exp", "log", "sin", "cos", "tanh", "pow", "contract_unrolled", "contract_spilled",
          "contract_spilled_points", "contract_loop"})
      names.insert(fmt::format("rate.{}.{}.gops", operation, p));
    for (int m = 1; m <= 256; m *= 2)
      names.insert(fmt::format("roofline.{}.{}.gflops", m, p));
    const std::uint64_t real_bytes = p == "f64" ? 8 : 4;
    for (const std::uint64_t bytes : sets)
      for (const std::uint64_t reals : {1, 4}) {
        names.insert(fmt::format("gather.{}.{}.{}.gops", reals, bytes, p));
        if (reals == 1)
          names.insert(fmt::format("gather_alone.1.{}.{}.gops", bytes, p));
        if (bytes / real_bytes / reals <= 65536)
          names.insert(fmt::format("gather_16.{}.{}.{}.gops", reals, bytes, p));
      }
    const std::uint64_t all_reals = sets.back() / real_bytes * info.compute_units;
    for (const char *family : {"gather", "gather_alone"}) {
      for (const std::uint64_t window : {64, 1024, 16384, 262144})
        if (window <= all_reals)
          names.insert(fmt::format("{}.memory.{}.{}.gops", family, window, p));
      names.insert(fmt::format("{}.memory.all.{}.gops", family, p));
    }
    if (info.is_cpu) {
      for (const char *figure : {"1.32768", "1.262144", "1.524288", "2.32768", "2.262144",
                                 "2.524288", "4.32768", "4.262144", "4.524288"})
        names.insert(fmt::format("scatter_add.{}.{}.gops", figure, p));
      for (const std::uint64_t bytes : sets)
        names.insert(fmt::format("copy_indexed.{}.{}.gops", bytes, p));
      for (const std::uint64_t bytes : {4096, 16384, 65536, 262144})
        if (bytes / real_bytes <= all_reals)
          names.insert(fmt::format("gather_streams.{}.{}.gops", bytes, p));
      names.insert(fmt::format("mixed.{}.gops", p));
      names.insert(fmt::format("mixed_points.{}.gops", p));
    } else {
      names.insert(fmt::format("local.read.{}.gbps", p));
    }
  }
  if (info.has_f16)
    names.insert("rate.multiply_add.f16.gops");
  return names;
}

std::set<std::string> names_of(const std::vector<MicroBenchmark> &benchmarks) {
  std::set<std::string> names;
  for (const MicroBenchmark &benchmark : benchmarks)
    EXPECT_TRUE(names.insert(benchmark.figure).second) << benchmark.figure << " twice";
  return names;
}

TEST(MeasureMachine, TakesEveryDocumentedFigure) {
  const auto device = open_device("");
  double last = 0;
  int calls = 0;
  const auto progress = [&](double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
    ++calls;
  };
  MeasureOptions options{.quick = true, .progress = progress};
  options.most_s = 1e9; // compiling beside other tests may take long
  const MachineFigures machine = measure_machine(*device, options);
  std::set<std::string> measured;
  for (const auto &[name, figure] : machine.figures) {
    EXPECT_TRUE(std::isfinite(figure.high)) << name;
    if (name.starts_with("state.")) { // of the measurement, not of the machine
      EXPECT_GE(figure.low, 0) << name;
      EXPECT_LE(figure.high, 1) << name;
      continue;
    }
    measured.insert(name);
    EXPECT_GT(figure.low, 0) << name;
    EXPECT_LE(figure.low, figure.median) << name;
    EXPECT_LE(figure.median, figure.high) << name;
  }
  EXPECT_EQ(measured, documented(device->info(),
                                 working_sets(device->info(), micro_sizes(device->info(), true))));
  EXPECT_DOUBLE_EQ(last, 1);
  EXPECT_GT(calls, static_cast<int>(measured.size()));
  EXPECT_TRUE(machine.has(undisturbed_figure));
  EXPECT_EQ(machine.at(rounds_figure), 1);
  EXPECT_EQ(machine.has(others_figure), processor_times().has_value());
  EXPECT_EQ(machine.at("latency.finish.us"), machine.figures.at("latency.finish.us").median);
  EXPECT_THROW(machine.at("rate.magic.f64.gops"), Error);
}

// The kernels as plain C++: each runs once, under the sanitizers where the tests do.
TEST(MeasureMachine, KernelsRunOnTheHost) {
  const auto device = open_host_device({.sanitize = sanitizers_run()});
  const MicroSizes sizes = micro_sizes(device->info(), true);
  const auto benchmarks = machine_benchmarks(*device, sizes);
  EXPECT_EQ(names_of(benchmarks), documented(device->info(), working_sets(device->info(), sizes)));
  for (const MicroBenchmark &benchmark : benchmarks)
    EXPECT_GT(benchmark.measure(), 0) << benchmark.figure;
}

class CudaTexts : public BuildOnlyDevice {
public:
  using BuildOnlyDevice::BuildOnlyDevice;
  Program build(const ProgramSource &source) override {
    const std::string binary = compile_cuda(source, "sm_90");
    EXPECT_EQ(binary.substr(1, 3), "ELF") << source.name;
    ++num_programs;
    return {};
  }
  int num_programs = 0;
};

// Figures are scaled by what the state of the cores is timed by: it must be one of them.
TEST(MeasureMachine, TheStateOfTheCoresIsAFigureOfEveryDevice) {
  for (const bool gpu : {false, true}) {
    const auto device = open_host_device({.sanitize = sanitizers_run(), .gpu = gpu});
    const MicroSizes sizes = micro_sizes(device->info(), true);
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      std::set<std::string> figures;
      for (const auto &family : {arithmetic_benchmarks(*device, precision, sizes),
                                 indirect_benchmarks(*device, precision, sizes)})
        for (const MicroBenchmark &benchmark : family)
          figures.insert(benchmark.figure);
      EXPECT_TRUE(figures.contains(core_benchmark(*device, precision, 1e-3).figure))
          << (gpu ? "gpu " : "cpu ") << to_string(precision);
    }
  }
}

TEST(MeasureMachine, KernelsCompileAsCuda) {
  need_nvrtc();
  CudaTexts device({.backend = "cuda",
                    .compute_units = 132,
                    .memory_bytes = std::uint64_t{80} << 30,
                    .max_allocation_bytes = std::uint64_t{80} << 30,
                    .last_cache_bytes = std::uint64_t{50} << 20,
                    .max_work_group = 1024,
                    .has_f16 = true});
  const MicroSizes sizes = micro_sizes(device.info(), true);
  EXPECT_EQ(names_of(machine_benchmarks(device, sizes)),
            documented(device.info(), working_sets(device.info(), sizes)));
  EXPECT_GE(device.num_programs, 10);
}

TEST(MeasureMachine, SizesFollowTheDevice) {
  DeviceInfo cpu{.is_cpu = true,
                 .compute_units = 2,
                 .memory_bytes = std::uint64_t{16} << 30,
                 .max_allocation_bytes = std::uint64_t{4} << 30,
                 .last_cache_bytes = std::uint64_t{32} << 20};
  const MicroSizes sizes = micro_sizes(cpu, false);
  EXPECT_EQ(sizes.array_bytes, std::uint64_t{256} << 20);
  const std::vector<std::uint64_t> sets = working_sets(cpu, sizes);
  EXPECT_EQ(sets.front(), 16384);
  EXPECT_EQ(sets.back(), std::uint64_t{64} << 20); // two cores': four times the cache
  // Three quarters of a core's share, between its neighbours.
  EXPECT_EQ(std::count(sets.begin(), sets.end(), 12 << 20), 1);
  EXPECT_TRUE(std::is_sorted(sets.begin(), sets.end()));
  cpu.last_cache_bytes = std::uint64_t{256} << 20;
  EXPECT_EQ(micro_sizes(cpu, false).array_bytes, std::uint64_t{1} << 30);
  // The cache of a host with many more cores: working sets have to fit into memory.
  EXPECT_EQ(micro_sizes(cpu, false).last_cache_bytes, std::uint64_t{32} << 20);
  cpu.memory_bytes = std::uint64_t{2} << 30;
  EXPECT_EQ(micro_sizes(cpu, false).array_bytes, std::uint64_t{128} << 20);
}

TEST(MeasureMachine, FiguresAreKeptForTheDevice) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("weft_machine_{}.sqlite", getpid());
  const auto device = open_host_device();
  MachineFigures known;
  known.figures["latency.finish.us"] = {.median = 5, .low = 4, .high = 7};
  {
    TuningDatabase database(path);
    ASSERT_TRUE(database.store_machine(device->info(), machine_generator(), known));
  }
  TuningDatabase database(path);
  const MachineFigures kept = machine_figures(*device, &database);
  ASSERT_EQ(kept.figures.size(), 1); // nothing was measured
  EXPECT_EQ(kept.figures.at("latency.finish.us").high, 7);
  for (const char *suffix : {"", "-wal", "-shm", ".lock"})
    std::filesystem::remove(path.string() + suffix);
}

MachineFigures measured_when(double others) {
  MachineFigures figures;
  figures.figures["latency.finish.us"] = {.median = 5, .low = 4, .high = 7};
  figures.figures[others_figure] = {others, others, others};
  return figures;
}

// A machine of which others take a share, on a clock that goes by itself.
struct MadeUpMachine {
  double others = 0;
  double now_s = 0;
  MeasureOptions options(double most_s = 1e9) {
    MeasureOptions all{.quick = true};
    all.most_s = most_s;
    all.clock = [this] { return now_s += 1; };
    all.processors = [this] {
      now_s += 1;
      return std::optional(
          ProcessorTimes{.busy_s = others * now_s, .idle_s = (1 - others) * now_s});
    };
    all.look = [this] { return std::optional(others); };
    return all;
  }
};

TEST(MeasureMachine, FiguresSayWhatDisturbedThem) {
  EXPECT_EQ(disturbance_of(measured_when(0.1)), "");
  EXPECT_EQ(disturbance_of(measured_when(0.6)), "other processes took 60% of the cores");
  EXPECT_TRUE(measured_beside_others(measured_when(0.6)));
  MachineFigures figures = measured_when(0);
  figures.figures[rounds_figure] = {0.2, 0.2, 0.2};
  figures.figures[undisturbed_figure] = {0.1, 0.1, 0.1};
  figures.figures["rate.multiply_add.f64.gops"] = {.median = 1, .low = 1, .high = 2};
  for (const char *part :
       {"20% of the rounds", "only 10% of the measurements", "2.0 times as fast"})
    EXPECT_NE(disturbance_of(figures).find(part), std::string::npos) << disturbance_of(figures);
  EXPECT_FALSE(measured_beside_others(figures)); // a look can't tell that this is gone
}

// Kept with a mark, used while it stays busy, measured anew when it is quiet, and never in the
// place of figures that are better.
TEST(MeasureMachine, FiguresOfABusyMachineAreMeasuredAnew) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("weft_busy_{}.sqlite", getpid());
  const auto device = open_device("");
  TuningDatabase database(path);
  ASSERT_TRUE(database.store_machine(device->info(), machine_generator(), measured_when(0.6)));
  MadeUpMachine machine{.others = 0.6};
  EXPECT_EQ(machine_figures(*device, &database, machine.options()).figures.size(), 2u);
  machine.others = 0;
  const MachineFigures anew = machine_figures(*device, &database, machine.options());
  EXPECT_GT(anew.figures.size(), 100u);
  EXPECT_EQ(anew.at(others_figure), 0);
  const auto kept = [&] { return *database.machine(device->info(), machine_generator()); };
  EXPECT_EQ(kept().at(others_figure), 0);
  // Asked for on a busy machine whose time is up at once: the least there can be, with marks. What
  // is kept then is made up: what was measured just now may have been disturbed in earnest.
  ASSERT_TRUE(database.store_machine(device->info(), machine_generator(), measured_when(0)));
  machine.others = 0.5;
  MeasureOptions hurried = machine.options(1);
  hurried.again = true;
  const MachineFigures worse = machine_figures(*device, &database, hurried);
  EXPECT_EQ(worse.figures.size(), anew.figures.size());
  EXPECT_DOUBLE_EQ(worse.at(rounds_figure), 1.0 / 3);
  EXPECT_NEAR(worse.at(others_figure), 0.5, 1e-9);
  EXPECT_FALSE(disturbance_of(worse).empty());
  EXPECT_EQ(kept().at(others_figure), 0); // those of the quiet machine stay
  for (const char *suffix : {"", "-wal", "-shm", ".lock", "-lock"})
    std::filesystem::remove(path.string() + suffix);
}

TEST(MeasureMachine, GeneratorIsAHash) {
  EXPECT_EQ(machine_generator().size(), 32);
  EXPECT_EQ(machine_generator(), machine_generator());
}

} // namespace
} // namespace weft
