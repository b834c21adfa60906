// Plots: their points as CSV, the picture as SVG with what was put in at its place.
#include "output/plot/plot.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

Plot example_plot() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {.title = "Roofline of 'this' <machine> & others",
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

// The tags are closed in the order in which they were opened.
bool is_well_formed(const std::string &xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = xml.find('<', at)) != std::string::npos; ++at) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos)
      return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n/", 1));
    if (tag.starts_with("/")) {
      if (open.empty() || "/" + open.back() != tag)
        return false;
      open.pop_back();
    } else if (!tag.ends_with("/") && !tag.starts_with("?")) {
      open.push_back(name);
    }
  }
  return open.empty();
}

TEST(Plot, HasItsPointsAndItsPicture) {
  const TemporaryFolder folder;
  EXPECT_TRUE(write_plot(example_plot(), folder.file("roofline.svg")));
  EXPECT_EQ(folder.read("roofline.csv"), example_csv);
  const std::string svg = folder.read("roofline.svg");
  EXPECT_TRUE(svg.starts_with("<?xml")) << svg;
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_NE(svg.find(">Roofline of &#39;this&#39; &lt;machine&gt; &amp; others<"),
            std::string::npos);
  EXPECT_NE(svg.find(">measured, f64<"), std::string::npos);
  EXPECT_NE(svg.find(">the &quot;limit&quot;<"), std::string::npos);
  EXPECT_EQ(svg.find(">nothing<"), std::string::npos); // a series without points has no legend
  EXPECT_EQ(folder.num_files(), 2);
}

// The numbers behind the letters of a path.
std::vector<double> numbers_of(const std::string &svg, const std::string &class_name) {
  const std::size_t begin = svg.find("<path class=\"" + class_name + "\" d=\"");
  const std::size_t from = svg.find(" d=\"", begin) + 4;
  std::string path = svg.substr(from, svg.find('"', from) - from);
  std::replace_if(
      path.begin(), path.end(), [](char c) { return std::isalpha(c) != 0; }, ' ');
  std::istringstream stream(path);
  std::vector<double> numbers;
  for (double number = 0; stream >> number;)
    numbers.push_back(number);
  return numbers;
}

TEST(Plot, DrawsALineWhereItsPointsLie) {
  const Plot plot = {.title = "",
                     .series = {{"", PlotStyle::lines, {{0, 0}, {5, 10}, {10, 5}}}},
                     .width = 400,
                     .height = 300};
  const std::vector<double> line = numbers_of(svg_plot(plot), "line");
  ASSERT_EQ(line.size(), 6U);
  // Both axes reach from 0 to 10: the frame's left end, its middle, its right end.
  EXPECT_NEAR(line[2], (line[0] + line[4]) / 2, 0.11);
  EXPECT_NEAR(line[5], (line[1] + line[3]) / 2, 0.11);
  EXPECT_LT(line[3], line[1]); // upwards
  EXPECT_NEAR(line[4], 380, 0.1);
  EXPECT_NEAR(line[3], 12, 0.1);
}

TEST(Plot, DrawsLogarithms) {
  const Plot plot = {
      .title = "", .log_y = true, .series = {{"", PlotStyle::lines, {{0, 1}, {1, 10}, {2, 100}}}}};
  const std::vector<double> line = numbers_of(svg_plot(plot), "line");
  ASSERT_EQ(line.size(), 6U);
  EXPECT_NEAR(line[3], (line[1] + line[5]) / 2, 0.11);
}

TEST(Plot, DrawsBarsSideBySideFromZero) {
  const Plot plot = {.title = "",
                     .series = {{"a", PlotStyle::bars, {{0, 2}, {1, 4}}},
                                {"b", PlotStyle::bars, {{0, 1}, {1, 3}}}},
                     .categories = {"tetrahedron", "prism"}};
  const std::string svg = svg_plot(plot);
  EXPECT_NE(svg.find(">tetrahedron<"), std::string::npos);
  const std::vector<double> bars = numbers_of(svg, "bar"); // left, zero, top, right, zero
  ASSERT_EQ(bars.size(), 10U);
  EXPECT_DOUBLE_EQ(bars[1], bars[4]);
  EXPECT_DOUBLE_EQ(bars[1], bars[6]);
  EXPECT_NEAR(bars[1] - bars[7], 2 * (bars[1] - bars[2]), 0.3); // 4 is twice as high as 2
}

TEST(Plot, WithoutPointsIsNotDrawn) {
  const TemporaryFolder folder;
  Plot plot = example_plot();
  plot.series = {{"zero", PlotStyle::points, {{0, 0}}}};
  testing::internal::CaptureStderr();
  EXPECT_FALSE(write_plot(plot, folder.file("zero.svg")));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("zero.svg is not drawn"),
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
    EXPECT_NE(std::string(error.what()).find(".svg"), std::string::npos);
  }
  EXPECT_EQ(folder.num_files(), 0);
}

TEST(Plot, SaysWhyItCannotBeWritten) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("file")) << "no folder";
  EXPECT_THROW(write_plot(example_plot(), folder.file("file/plot.svg")), Error);
}

} // namespace
} // namespace weft
