#include "run/sweep/sweep_values.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

TEST(SweepValues, AreReadAsTheyAreSaid) {
  const SweptParameter linear = swept_parameter("h=1:9:5");
  EXPECT_EQ(linear.name, "h");
  EXPECT_EQ(linear.values, (std::vector<double>{1, 3, 5, 7, 9}));
  const SweptParameter ratios = swept_parameter("parameters.k.fins=1:100:3log");
  EXPECT_EQ(ratios.name, "k.fins");
  ASSERT_EQ(ratios.values.size(), 3u);
  EXPECT_EQ(ratios.values[0], 1);
  EXPECT_NEAR(ratios.values[1], 10, 1e-14);
  EXPECT_EQ(ratios.values[2], 100);
  EXPECT_EQ(swept_parameter("a=-1.5e-3,2,7").values, (std::vector<double>{-1.5e-3, 2, 7}));
  EXPECT_EQ(swept_parameter("a=4").values, std::vector<double>{4});
  const SweptParameter range = swept_parameter("h=2:3:log");
  EXPECT_TRUE(range.is_range && range.logarithmic);
  EXPECT_TRUE(swept_parameter("h=2:-3").is_range);
}

TEST(SweepValues, RefuseWhatIsNone) {
  for (const char *text :
       {"h", "h=", "=1:2:3", "h=1:2:1", "h=1:2:x", "h=1:1:3", "h=0:1:3log", "h=-1:1:log", "h=1;2",
        "h=1:2:3:4", "h=1:2:", "h=nan", "h=1,,2", "h=1:inf:3", "h=1:2:1000001"})
    try {
      swept_parameter(text);
      ADD_FAILURE() << text;
    } catch (const Error &error) {
      EXPECT_EQ(int(error.kind()), int(ErrorKind::input)) << text;
    }
}

// Every combination once, and each beside the one before it.
TEST(SweepValues, GridGoesToAndFro) {
  const std::vector<SweptParameter> parameters = {
      swept_parameter("a=1,2,3"), swept_parameter("b=10:20:2"), swept_parameter("c=0:1:4")};
  const std::vector<SweepPoint> grid = sweep_grid(parameters);
  ASSERT_EQ(grid.size(), 24u);
  EXPECT_EQ(std::set(grid.begin(), grid.end()).size(), 24u);
  for (std::size_t i = 1; i < grid.size(); ++i) {
    int changed = 0;
    for (std::size_t p = 0; p < 3; ++p) {
      const auto &values = parameters[p].values;
      const auto place = [&](double value) {
        return std::find(values.begin(), values.end(), value) - values.begin();
      };
      changed += int(std::abs(place(grid[i][p]) - place(grid[i - 1][p])));
    }
    EXPECT_EQ(changed, 1) << i;
  }
  EXPECT_THROW(sweep_grid({swept_parameter("a=1:2")}), Error);
}

// Each half, and each quarter of every range has its share; logarithmic ones of the logarithm.
TEST(SweepValues, SamplesFillRangesEvenly) {
  const std::vector<SweptParameter> parameters = {swept_parameter("a=-1:3"),
                                                  swept_parameter("b=1:10000:log")};
  const std::vector<SweepPoint> samples = sweep_samples(parameters, 64);
  ASSERT_EQ(samples.size(), 64u);
  int quarters[2][4] = {};
  for (const SweepPoint &point : samples) {
    ++quarters[0][int(point[0] + 1)];
    ++quarters[1][int(std::log10(point[1]))];
  }
  for (const auto &of_parameter : quarters)
    for (const int count : of_parameter)
      EXPECT_NEAR(count, 16, 2);
  // Those of fewer come first.
  const std::vector<SweepPoint> fewer = sweep_samples(parameters, 10);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), samples.begin()));
  EXPECT_THROW(sweep_samples({swept_parameter("a=1,2")}, 3), Error);
}

} // namespace
} // namespace weft
