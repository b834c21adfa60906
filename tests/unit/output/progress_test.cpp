#include <gtest/gtest.h>

#include "base/log.h"
#include "output/progress.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

TEST(Progress, LineHasPercentageTimesAndRate) {
  EXPECT_EQ(progress_line("solve", 0.4, 60, 120.3e6, "dof"),
            "solve [########            ]  40%  1:00 elapsed, 1:30 left, 120.3 Mdof/s");
  EXPECT_EQ(progress_line("solve", 0, 5, 0, "dof"),
            "solve [                    ]   0%  0:05 elapsed");
  EXPECT_EQ(progress_line("solve", 1, 3661, 0, "dof"),
            "solve [####################] 100%  1:01:01 elapsed, 0:00 left");
}

TEST(Progress, FractionFollowsTheLogarithmOfTheResidual) {
  EXPECT_DOUBLE_EQ(fraction_of_residual(1, 1e-10), 0);
  EXPECT_NEAR(fraction_of_residual(1e-5, 1e-10), 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(fraction_of_residual(1e-12, 1e-10), 1);
  EXPECT_DOUBLE_EQ(fraction_of_residual(10, 1e-10), 0);
  EXPECT_DOUBLE_EQ(fraction_of_residual(0.0 / 0.0, 1e-10), 0);
  EXPECT_DOUBLE_EQ(fraction_of_residual(0, 1e-10), 1);
}

// A file is no terminal: short stages say nothing there, and nothing is redrawn.
TEST(Progress, ShortStageIsSilentOutsideATerminal) {
  const TemporaryFolder folder;
  std::FILE *stream = std::fopen(folder.file("log").c_str(), "w");
  {
    Progress progress("solve", "dof", stream);
    progress.update(0.5, 1000);
  }
  std::fclose(stream);
  EXPECT_EQ(folder.read("log"), "");
}

} // namespace
} // namespace weft
