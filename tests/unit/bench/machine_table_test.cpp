// What a machine was measured to do, as tables and as a plot.
#include "bench/machine_table.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

MachineFigures example() {
  return {{{"memory.read.f64.gbps", {40, 30, 44}},
           {"cache.read.16384.gbps", {900, 880, 921}},
           {"cache.read.131072.gbps", {331, 300, 340}},
           {"cache.read.1048576.gbps", {208.96, 91.7, 249}},
           {"cache.copy.16384.gbps", {800, 790, 810}},
           {"rate.multiply_add.f64.gops", {100, 90, 110}},
           {"rate.multiply_add.f32.gops", {200, 180, 220}},
           {"rate.pow.f64.gops", {0.0584, 0.05, 0.06}},
           {"gather_16.1.16384.f32.gops", {6.38, 3.6, 6.8}},
           {"gather.memory.64.f64.gops", {0.7, 0.5, 0.8}},
           {"gather.memory.all.f64.gops", {0.4, 0.3, 0.5}},
           {"roofline.1.f64.gflops", {9, 8, 10}},
           {"roofline.16.f64.gflops", {140, 130, 150}},
           {"roofline.2.f64.gflops", {18, 17, 19}},
           {"roofline.1.f32.gflops", {17, 16, 18}},
           {"latency.finish.us", {38, 31, 65}}}};
}

const DeviceInfo info = {
    .selector = "opencl:0", .name = "EPYC", .driver = "PoCL", .is_cpu = true, .compute_units = 2};

// The lines after a title, to the next empty one.
std::string table_of(const std::string &text, const std::string &title) {
  const std::size_t begin = text.find("\n" + title);
  if (begin == std::string::npos)
    return {};
  const std::size_t first = text.find('\n', begin + 1) + 1;
  return text.substr(first, text.find("\n\n", first) - first);
}

TEST(MachineTable, HasEveryFigureWithItsRange) {
  const std::string text = machine_table(info, example());
  EXPECT_NE(text.find("EPYC (opencl:0), 2 cores, PoCL"), std::string::npos) << text;
  for (const char *value :
       {"40.0 (30.0..44.0)", "209 (91.7..249)", "0.0584 (0.0500..0.0600)", "38.0 (31.0..65.0)",
        "6.38 (3.60..6.80)", "0.400 (0.300..0.500)", "17.0 (16.0..18.0)"})
    EXPECT_NE(text.find(value), std::string::npos) << value << "\n" << text;
  EXPECT_NE(text.find("not measured: f16"), std::string::npos);
}

TEST(MachineTable, OrdersWorkingSetsBySize) {
  const std::string caches = table_of(machine_table(info, example()), "caches");
  const std::size_t small = caches.find("16 KiB"), middle = caches.find("128 KiB"),
                    large = caches.find("1 MiB");
  ASSERT_NE(large, std::string::npos) << caches;
  EXPECT_LT(small, middle);
  EXPECT_LT(middle, large);
  // A figure that there is not is a dash, a column without any is left out.
  EXPECT_NE(caches.find("331 (300..340)          -"), std::string::npos) << caches;
  EXPECT_EQ(table_of(machine_table(info, example()), "memory, GB/s").find("f32"),
            std::string::npos);
}

TEST(MachineTable, RooflineHasTheSweepAndItsLimits) {
  const Plot plot = roofline_plot(info, example());
  ASSERT_EQ(plot.series.size(), 4);
  EXPECT_TRUE(plot.log_x && plot.log_y);
  using Points = std::vector<std::pair<double, double>>;
  // Two flops a multiply-add, for each 8 bytes.
  EXPECT_EQ(plot.series[0].points, (Points{{0.25, 9}, {0.5, 18}, {4, 140}}));
  EXPECT_EQ(plot.series[0].style, PlotStyle::points);
  // 40 GB/s up to the peak of 200 GFlop/s, which lies beyond the sweep.
  EXPECT_EQ(plot.series[1].points, (Points{{0.25, 10}, {4, 160}, {5, 200}}));
  EXPECT_EQ(plot.series[1].style, PlotStyle::lines);
  EXPECT_EQ(plot.series[2].points, (Points{{0.5, 17}}));
}

} // namespace
} // namespace weft
