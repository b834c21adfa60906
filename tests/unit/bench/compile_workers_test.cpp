// Processes that do jobs side by side: here shells instead of compilers.
#include "bench/compile_workers.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "bench/residual/residual_job.h"

namespace weft {
namespace {

std::vector<std::string> numbered(int number) {
  std::vector<std::string> jobs;
  for (int i = 0; i < number; ++i)
    jobs.push_back(std::to_string(i));
  return jobs;
}

TEST(CompileWorkers, AllJobsAreDoneOnce) {
  const CompileWorkers workers({"/bin/sh", "-c", "while read job; do echo; done"}, 3);
  int calls = 0;
  const int good = workers.run(numbered(20), [&](int done) { EXPECT_EQ(done, ++calls); });
  EXPECT_EQ(good, 20);
  EXPECT_EQ(calls, 20);
  EXPECT_EQ(workers.run({}, [](int) {}), 0);
}

// Two jobs that each wait for the other: only side by side do they end.
TEST(CompileWorkers, JobsRunSideBySide) {
  const std::string script = "read job; "
                             "touch /tmp/weft_side_$PPID.$job; i=0; "
                             "while [ ! -e /tmp/weft_side_$PPID.$((1-job)) ] && [ $i -lt 200 ]; do "
                             "i=$((i+1)); sleep 0.05; done; "
                             "[ $i -lt 200 ] && echo || echo alone; read job; "
                             "rm -f /tmp/weft_side_$PPID.*";
  const CompileWorkers workers({"/bin/sh", "-c", script}, 2);
  EXPECT_EQ(workers.run(numbered(2), [](int) {}), 2);
}

TEST(CompileWorkers, FailuresAndDeadWorkersAreLeftToWhoNeedsThem) {
  const CompileWorkers complain(
      {"/bin/sh", "-c", "while read job; do [ $job = 3 ] && echo wrong || echo; done"}, 2);
  EXPECT_EQ(complain.run(numbered(6), [](int) {}), 5);
  int calls = 0;
  const CompileWorkers die({"/bin/sh", "-c", "read job; echo; read job; exit 1"}, 2);
  EXPECT_EQ(die.run(numbered(9), [&](int) { ++calls; }), 2);
  EXPECT_EQ(calls, 4); // each has done one and died of another; the rest is not tried
  const CompileWorkers missing({"/no/such/program"}, 2);
  EXPECT_EQ(missing.run(numbered(2), [](int) {}), 0);
  const CompileWorkers none({{}, 0});
  EXPECT_EQ(none.run(numbered(2), [](int) {}), 0);
}

TEST(ResidualJob, TextIsReadAsItWasWritten) {
  ResidualJob job{.problem = paper_residual("elasticity", 3, 17),
                  .precision = Precision::f32,
                  .variant = paper_variant(16, 8)};
  const ResidualJob read = residual_job_from_text(to_text(job));
  EXPECT_TRUE(read.problem == job.problem);
  EXPECT_EQ(read.precision, Precision::f32);
  EXPECT_EQ(read.variant, job.variant);
  EXPECT_EQ(to_text(job).find('\n'), std::string::npos);
  EXPECT_THROW(residual_job_from_text("{}"), Error);
  EXPECT_THROW(residual_job_from_text("nonsense"), Error);
}

} // namespace
} // namespace weft
