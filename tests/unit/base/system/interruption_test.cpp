#include <csignal>
#include <gtest/gtest.h>

#include "base/system/interruption.h"

namespace weft {
namespace {

struct Interruption : testing::Test {
  ~Interruption() override { withdraw_interruption(); }
};

TEST_F(Interruption, IsSeenByWhoLooks) {
  EXPECT_FALSE(interrupted());
  EXPECT_NO_THROW(throw_if_interrupted());
  EXPECT_FALSE(looks_at_interruption().seen);
  request_interruption(SIGTERM);
  EXPECT_FALSE(looks_at_interruption().seen); // nobody looked yet
  EXPECT_TRUE(interrupted());
  EXPECT_TRUE(looks_at_interruption().seen);
  withdraw_interruption();
  EXPECT_FALSE(interrupted());
}

TEST_F(Interruption, TheFirstSignalDecidesTheExitCode) {
  request_interruption(SIGINT);
  request_interruption(SIGTERM);
  try {
    throw_if_interrupted();
    FAIL() << "nothing was thrown";
  } catch (const Interrupted &thrown) {
    EXPECT_EQ(thrown.exit_code(), 130);
    EXPECT_EQ(thrown.what(), "interrupted by SIGINT");
  }
}

// What passes over the errors of one candidate of a search does not pass over an end of all.
TEST_F(Interruption, IsNoError) {
  request_interruption(SIGINT);
  const auto passes_over_errors = [] {
    try {
      throw_if_interrupted();
    } catch (const std::exception &) {
    }
  };
  EXPECT_THROW(passes_over_errors(), Interrupted);
}

TEST_F(Interruption, OldTimesBetweenLooksAreForgotten) {
  interrupted();
  const timespec pause = {.tv_sec = 0, .tv_nsec = 50'000'000};
  nanosleep(&pause, nullptr);
  interrupted();
  EXPECT_GE(looks_at_interruption().longest_s, 0.05);
  for (int i = 0; i < 200; ++i)
    interrupted();
  EXPECT_LT(looks_at_interruption().longest_s, 0.05);
}

} // namespace
} // namespace weft
