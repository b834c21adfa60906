// Marks of rows: no fraction is printed above 100% without one.
#include "bench/row_marks.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(RowMarks, OfDisturbedRowsAndOfSharesAboveTheLimit) {
  RowMarks marks;
  EXPECT_EQ(marks.explained(), "");
  EXPECT_EQ(marks.mark("", 1.004, false), ""); // prints as 100%
  EXPECT_EQ(marks.explained(), "");
  EXPECT_EQ(marks.mark("", 1.006, false), "over");
  EXPECT_EQ(marks.mark("", 2.4, true), "cache");
  EXPECT_EQ(marks.mark("other processes took 61% of the cores", 0.7, false), "busy");
  EXPECT_EQ(marks.mark("719% of the limit", 7.19, false), "busy");
  const std::string text = marks.explained();
  for (const char *line : {"busy: 2 of 5 rows", "the first: other processes took 61%",
                           "cache: 1 of 5 rows", "over: 1 of 5 rows"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(RowMarks, OfRecords) {
  RowMarks marks;
  KernelRecord record;
  EXPECT_EQ(marks.mark(record), ""); // nothing was timed
  record.fraction = 1.2;
  record.disturbance = "";
  record.in_cache = true;
  EXPECT_EQ(marks.mark(record), "cache");
  record.disturbance = "timings differ by 40%";
  EXPECT_EQ(marks.mark(record), "busy");
}

} // namespace
} // namespace weft
