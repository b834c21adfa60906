// What a problem that is not accepted says.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/discrete_problem.h"

namespace weft {

// The message of the input error that a case written as text gives.
inline std::string message_of(const std::string &text) {
  try {
    const DiscreteProblem problem(text);
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error from:\n" << text;
  return {};
}

} // namespace weft
