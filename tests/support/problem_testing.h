// What tests of the public interface share.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/weft.h"

namespace weft::test {

// On one thread, with overrides as --set has them.
inline ProblemOptions one_thread(std::vector<std::string> overrides = {}) {
  ProblemOptions options;
  options.overrides = std::move(overrides);
  options.threads = 1;
  return options;
}

// The message of the error of that kind which body() has to throw.
inline std::string error_text(const std::function<void()> &body, ErrorKind kind) {
  try {
    body();
  } catch (const Error &error) {
    EXPECT_EQ(int(error.kind()), int(kind)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

} // namespace weft::test
