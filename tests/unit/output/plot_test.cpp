// Plots: their points as CSV always, a picture where gnuplot is installed.
#include "output/plot.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.h"
#include "base/system/run_program.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

Plot example_plot() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {.title = "Roofline of 'this' machine",
          .x_label = "flop/byte",
          .y_label = "GFlop/s",
          .log_x = true,
          .log_y = true,
          .series = {{"measured, f64", PlotStyle::points, {{0.25, 10}, {0.5, 20.5}, {0, 1}}},
                     {"the \"limit\"", PlotStyle::lines, {{0.25, 11}, {1, infinity}, {2, 88}}},
                     {"nothing", PlotStyle::lines_points, {}}}};
}

const char *example_csv = "series,x,y\n"
                          "\"measured, f64\",0.25,10\n"
                          "\"measured, f64\",0.5,20.5\n"
                          "\"measured, f64\",0,1\n"
                          "\"the \"\"limit\"\"\",0.25,11\n"
                          "\"the \"\"limit\"\"\",1,inf\n"
                          "\"the \"\"limit\"\"\",2,88\n";

// No program is found while it lives.
class EmptyPath {
public:
  EmptyPath() : path_(std::getenv("PATH")) { setenv("PATH", "/nonexistent", 1); }
  ~EmptyPath() { setenv("PATH", path_.c_str(), 1); }

private:
  std::string path_;
};

TEST(Plot, IsDrawnByGnuplot) {
  if (find_program("gnuplot").empty())
    GTEST_SKIP() << "gnuplot is not installed here";
  const TemporaryFolder folder;
  EXPECT_TRUE(write_plot(example_plot(), folder.file("roofline.svg")));
  const std::string svg = folder.read("roofline.svg");
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("Roofline of 'this' machine"), std::string::npos) << svg.substr(0, 2000);
  EXPECT_NE(svg.find("measured, f64"), std::string::npos);
  EXPECT_EQ(folder.read("roofline.csv"), example_csv);
  EXPECT_TRUE(write_plot(example_plot(), folder.file("roofline.png")));
  EXPECT_EQ(folder.read("roofline.png").substr(1, 3), "PNG");
  EXPECT_EQ(folder.num_files(), 3);
}

TEST(Plot, WithoutGnuplotIsItsPointsAndANotice) {
  const TemporaryFolder folder;
  const EmptyPath no_programs;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(write_plot(example_plot(), folder.file("roofline.svg")));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("gnuplot-nox"), std::string::npos) << said;
  EXPECT_NE(said.find("roofline.csv"), std::string::npos) << said;
  EXPECT_EQ(folder.read("roofline.csv"), example_csv);
  EXPECT_EQ(folder.num_files(), 1);
}

TEST(Plot, WithoutPointsIsNotDrawn) {
  const TemporaryFolder folder;
  Plot plot = example_plot();
  plot.series = {{"zero", PlotStyle::points, {{0, 0}}}};
  testing::internal::CaptureStderr();
  EXPECT_FALSE(write_plot(plot, folder.file("zero.png")));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("zero.png is not drawn"),
            std::string::npos);
  EXPECT_EQ(folder.read("zero.csv"), "series,x,y\nzero,0,0\n");
}

TEST(Plot, RefusesOtherFormats) {
  const TemporaryFolder folder;
  try {
    write_plot(example_plot(), folder.file("roofline.gif"));
    FAIL() << "written";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find(".png or .svg"), std::string::npos);
  }
  EXPECT_EQ(folder.num_files(), 0);
}

TEST(Plot, SaysWhyItCannotBeWritten) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("file")) << "no folder";
  EXPECT_THROW(write_plot(example_plot(), folder.file("file/plot.png")), Error);
}

} // namespace
} // namespace weft
