#include "run/settings/case_time_settings.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/error.h"

namespace weft {
namespace {

TEST(CaseTimeSettings, StopsAreTimesOfOutputAndTheEnd) {
  const TimeSpec time{.start = 1, .end = 2, .step = 0.1};
  OutputSpec output;
  EXPECT_EQ(make_time_settings(time, output).stops, std::vector<double>{2});
  output.every = 0.25;
  output.times = {1.6, 1, 1.5};
  const std::vector<double> expected = {1.25, 1.5, 1.6, 1.75, 2};
  EXPECT_EQ(make_time_settings(time, output).stops, expected);
  output.times = {2.5};
  EXPECT_THROW(make_time_settings(time, output), Error);
  output.times = {};
  output.every = 1e-9;
  EXPECT_THROW(make_time_settings(time, output), Error);
}

TEST(CaseTimeSettings, FixedStepsThatWouldTakeForeverAreRefused) {
  const auto refused = [](const TimeSpec &time) {
    try {
      make_time_settings(time, {});
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused({.end = 1, .step = 1e-30}).find("1.0e+30 steps"), std::string::npos);
  EXPECT_NE(refused({.start = 1e10, .end = 1e10 + 1, .step = 1e-6}).find("forever"),
            std::string::npos);
  EXPECT_EQ(refused({.end = 1, .step = 1e-9}), "");
  EXPECT_EQ(refused({.end = 1, .step = 1e-30, .tolerance = 1e-3}), ""); // they grow
}

} // namespace
} // namespace weft
