// The same as plain C++ under the sanitizers.
#include <gtest/gtest.h>

#include "device/host_device.h"
#include "device/reaction_case.h"

namespace weft {
namespace {

TEST(ReactionsHost, AgreeWithPlainLoopsUnderTheSanitizers) {
  for (std::size_t i : {0, 3}) {
    const auto device = open_host_device({.sanitize = sanitizers_run(), .reverse = true});
    expect_reaction(*device, reaction_cases().at(i));
  }
}

} // namespace
} // namespace weft
