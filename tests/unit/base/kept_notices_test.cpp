// Notices kept for the record of a run.
#include "base/kept_notices.h"

#include <gtest/gtest.h>

#include "base/log.h"

namespace weft {
namespace {

TEST(KeptNotices, AreThoseGivenWhileTheyAreKept) {
  testing::internal::CaptureStderr();
  log::notice("before");
  std::vector<std::string> texts;
  {
    const log::KeptNotices kept;
    log::notice("a {}", 1);
    log::info("none");
    log::notice("b");
    texts = kept.texts();
  }
  log::notice("after");
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(texts, (std::vector<std::string>{"a 1", "b"}));
}

TEST(KeptNotices, AreBounded) {
  testing::internal::CaptureStderr();
  const log::KeptNotices kept;
  for (int i = 0; i < 300; ++i)
    log::notice("{}", i);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(kept.texts().size(), 100U);
}

} // namespace
} // namespace weft
