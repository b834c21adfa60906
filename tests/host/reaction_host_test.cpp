// The same as plain C++ under the sanitizers, and what it costs.
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "support/expect_counted.h"
#include "support/reaction_case.h"

namespace weft {
namespace {

TEST(ReactionsHost, AgreeWithPlainLoopsUnderTheSanitizers) {
  for (std::size_t i : {0, 3}) {
    const auto device = open_host_device({.sanitize = sanitizers_run(), .reverse = true});
    expect_reaction(*device, reaction_cases().at(i));
  }
}

TEST(ReactionsHost, CostWhatIsCounted) {
  for (const ReactionCase &c : {reaction_cases().at(0), reaction_cases().at(3),
                                ReactionCase{2, 4, Precision::f64, true, 3}}) {
    const ReactionProblem p(c);
    const auto device = open_host_device({.count = true});
    DgSettings settings{.precision = c.precision, .form_name = "reaction"};
    settings.lanes = c.lanes;
    LawRates op(*device, p.problem.d, settings);
    Vector q = make_vector(*device, op.size(), op.precision(), "state");
    op.set_state(reaction_state(p.problem.d), q);
    take_counted_costs(*device);
    op.react(reaction_time, reaction_step, q);
    ASSERT_NE(op.reaction(), nullptr);
    expect_counted(take_counted_costs(*device), by_name(op.reaction()->costs()));
  }
}

} // namespace
} // namespace weft
