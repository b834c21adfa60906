// How long work takes, estimated from pieces that took made-up times.
#include "run/explain/work_estimate.h"

#include <gtest/gtest.h>
#include <limits>

namespace weft {
namespace {

TEST(WorkEstimate, GuessesAreCorrectedByWhatWasDone) {
  WorkEstimate work;
  EXPECT_EQ(work.left_s(), 0);
  EXPECT_EQ(work.fraction(), 0);
  work.expect("kernel", 10, 2);
  work.expect("timing", 100, 0.1);
  EXPECT_DOUBLE_EQ(work.left_s(), 30);
  EXPECT_EQ(work.fraction(), 0);
  work.done("kernel", 2, 10); // 5 s each, not 2
  EXPECT_DOUBLE_EQ(work.seconds_of("kernel"), 5);
  EXPECT_DOUBLE_EQ(work.left_s(), 8 * 5 + 10);
  EXPECT_DOUBLE_EQ(work.fraction(), 10.0 / 60);
  work.done("kernel", 8, 8);
  work.done("timing", 50, 2);
  EXPECT_DOUBLE_EQ(work.left_s(), 2);
  work.drop("timing", 50);
  EXPECT_DOUBLE_EQ(work.left_s(), 0);
  EXPECT_DOUBLE_EQ(work.fraction(), 1);
  work.done("timing", 5, 1); // more than were expected
  EXPECT_DOUBLE_EQ(work.fraction(), 1);
}

TEST(WorkEstimate, InWords) {
  EXPECT_EQ(about(0.2), "1 s");
  EXPECT_EQ(about(42.4), "42 s");
  EXPECT_EQ(about(200), "3 min");
  EXPECT_EQ(about(3 * 3600.0), "3.0 h");
  EXPECT_EQ(announcement(180, 0.5, 100), "about 2 min for all 180 candidates");
  EXPECT_EQ(announcement(2160, 1, std::numeric_limits<double>::infinity()),
            "about 36 min for all 2160 candidates");
  EXPECT_EQ(announcement(2160, 1, 60), "the 60 s allowed are enough for about 60 of 2160 "
                                       "candidates; --exhaustive tries all, in about 36 min");
}

} // namespace
} // namespace weft
