// Sources that are split from a law, on the device WEFT_TEST_DEVICE against plain loops.
#include <gtest/gtest.h>

#include "support/reaction_case.h"
#include "support/test_device.h"

namespace weft {
namespace {

TEST(Reactions, AgreeWithPlainLoops) {
  for (const ReactionCase &c : reaction_cases()) {
    SCOPED_TRACE("DG" + std::to_string(c.order) + " substeps " + std::to_string(c.substeps));
    expect_reaction(test_device(), c);
  }
}

// Over two steps of one state to another, with the values that lie between.
TEST(FirstTimesOfStates, AreThoseOfPlainLoops) {
  for (const std::size_t i : {0, 2}) {
    const ReactionCase c = reaction_cases().at(i);
    SCOPED_TRACE("DG" + std::to_string(c.order));
    expect_first_times(test_device(), c);
  }
}

} // namespace
} // namespace weft
