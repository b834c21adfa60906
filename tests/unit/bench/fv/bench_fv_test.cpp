// The study of finite volumes at small sizes: times are only asked to be there.
#include "bench/fv/bench_fv.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "bench/fv/bench_fv_matrices.h"
#include "device/open/open_device.h"
#include "op/law/fv_diffusion.h"

namespace weft {
namespace {

// Figures of no machine in particular.
MachineFigures some_figures() {
  MachineFigures machine;
  const auto set = [&](const std::string &name, double value) {
    machine.figures[name] = {value, value, value};
  };
  for (const char *precision : {"f64", "f32"}) {
    for (const auto &[bytes, rate] : {std::pair{16384, 8.0}, {262144, 5.0}, {8388608, 2.0}})
      set(fmt::format("gather_alone.1.{}.{}.gops", bytes, precision), rate);
    for (const auto &[window, rate] : {std::pair{"64", 4.0}, {"16384", 2.0}, {"all", 0.5}})
      set(fmt::format("gather_alone.memory.{}.{}.gops", window, precision), rate);
    set(fmt::format("mixed.{}.gops", precision), 0.5);
    set(fmt::format("rate.multiply_add.{}.gops", precision), 100);
    for (const char *kind : {"read", "copy", "copy_stream"})
      set(fmt::format("memory.{}.{}.gbps", kind, precision), 60);
  }
  for (const char *kind : {"read", "copy"})
    for (const auto &[bytes, rate] : {std::pair{16384, 900.0}, {262144, 300.0}, {8388608, 150.0}})
      set(fmt::format("cache.{}.{}.gbps", kind, bytes), rate);
  set("latency.finish.us", 20);
  return machine;
}

TEST(BenchFv, EveryKernelComputesTheSame) {
  const std::unique_ptr<Device> device = open_device("opencl");
  const FvBenchMatrix matrix = ideal_bench_matrix(3000, 500);
  const HostMatrix assembled = difference_matrix(matrix.matrix);
  ASSERT_EQ(assembled.num_rows(), 3000);
  // Rows of a matrix of differences sum to nothing; columns ascend.
  for (int row = 0; row < 3000; ++row) {
    double sum = 0;
    for (int e = assembled.row_start[row]; e < assembled.row_start[row + 1]; ++e) {
      sum += assembled.values[e];
      EXPECT_TRUE(e == assembled.row_start[row] || assembled.columns[e - 1] < assembled.columns[e]);
    }
    EXPECT_NEAR(sum, 0, 1e-14);
  }
  std::vector<double> first;
  for (const std::string &name : fv_kernel_names()) {
    const FvBenchKernel kernel = make_fv_bench_kernel(*device, matrix, name, Precision::f64);
    kernel.apply();
    device->finish();
    const std::vector<double> y = get_vector(*device, kernel.y);
    if (first.empty())
      first = y;
    for (int row = 0; row < 3000; ++row)
      ASSERT_NEAR(y[row], first[row], 1e-14) << name; // sums of numbers below 1
    EXPECT_GE(kernel.moved_bytes, 3000 * (4 * (8 + 2) + 16)) << name;
    EXPECT_EQ(kernel.model.has_value(), name != "matrix");
  }
}

TEST(BenchFv, RowsOfASmallStudy) {
  const std::unique_ptr<Device> device = open_device("opencl");
  FvBenchOptions options;
  options.cells = 1296; // six tetrahedra in 6 x 6 x 6
  options.blocks = {64, 1296};
  options.block_cells = 100;
  options.repeats = 3;
  options.quick = true;
  options.orders = {"random", "blocks"};
  options.kernels = {"staged", "matrix"};
  options.precisions = {"f64"};
  const FvBenchResult result = bench_fv(*device, some_figures(), options);
  ASSERT_EQ(result.rows.size(), (2 + 2) * 2u);
  for (const FvRow &row : result.rows) {
    EXPECT_EQ(row.rows, 1296);
    EXPECT_EQ(row.bytes, 1296 * 64);
    EXPECT_EQ(row.flops, 1296 * 11);
    EXPECT_GE(row.lines, 1.75 - 0.01);
    EXPECT_LE(row.lines, 5.75);
    EXPECT_GT(row.seconds, 0);
    EXPECT_GT(row.fraction, 0);
    // One measure for all kernels: the bytes that each moves.
    EXPECT_DOUBLE_EQ(row.moved_fraction() / row.fraction, row.moved_bytes / row.bytes);
    EXPECT_EQ(row.predicted_s > 0, row.kernel != "matrix");
    if (row.order.empty())
      EXPECT_TRUE(row.block == 64 || row.block == 1296);
    else
      EXPECT_TRUE(row.outside > 0 && row.outside < 1) << row.order;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("weft-bench-fv-{}", getpid());
  std::filesystem::create_directory(folder);
  write_fv_json((folder / "fv.json").string(), result);
  write_fv_csv((folder / "fv.csv").string(), result);
  plot_fv(fv_rows(result), folder);
  std::ifstream table(folder / "fv.csv");
  std::string line;
  std::size_t lines = 0;
  while (std::getline(table, line))
    ++lines;
  EXPECT_EQ(lines, 1 + result.rows.size());
  EXPECT_TRUE(std::filesystem::exists(folder / "fv.json"));
  EXPECT_TRUE(std::filesystem::exists(folder / "fv_time_f64.csv"));
  EXPECT_TRUE(std::filesystem::exists(folder / "fv_bandwidth_f64.csv"));
  std::filesystem::remove_all(folder);
}

TEST(BenchFv, BlocksLargerThanTheMatrixAreRefused) {
  const std::unique_ptr<Device> device = open_device("opencl");
  FvBenchOptions options;
  options.cells = 100;
  options.blocks = {101};
  try {
    bench_fv(*device, some_figures(), options);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("--block"), std::string::npos);
  }
}

} // namespace
} // namespace weft
