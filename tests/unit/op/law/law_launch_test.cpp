// What a launch binds once, and what each call sets.
#include "op/law/law_launch.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/build_only_device.h"

namespace weft {
namespace {

// Keeps what it is given.
class ListeningDevice : public BuildOnlyDevice {
public:
  using BuildOnlyDevice::BuildOnlyDevice;
  void launch(const Program &, const std::string &kernel, Launch,
              const std::vector<KernelArgument> &given) override {
    launched = kernel;
    arguments = given;
  }
  std::string launched;
  std::vector<KernelArgument> arguments;
};

struct Bound {
  ListeningDevice device{DeviceInfo{}};
  Vector q = make_vector(device, 4, Precision::f32, "q"), out = q, sum = q;
  std::vector<ArgumentRole> asked;
  LawLaunch launch{device,
                   {.name = "stage",
                    .arguments = {{ArgumentRole::end_group},
                                  {ArgumentRole::time},
                                  {ArgumentRole::q},
                                  {ArgumentRole::products, 3},
                                  {ArgumentRole::start},
                                  {ArgumentRole::sum},
                                  {ArgumentRole::out}}},
                   {},
                   Precision::f32,
                   [this](const ArgumentSpec &argument) -> KernelArgument {
                     asked.push_back(argument.role);
                     return static_cast<std::int32_t>(argument.index);
                   }};

  Bound() {
    out.buffer = device.allocate(16, "out");
    sum.buffer = device.allocate(16, "sum");
  }
};

TEST(LawLaunch, BindsOnceWhatNeverChanges) {
  Bound b;
  b.launch.run({.time = 1, .q = &b.q, .out = &b.out});
  b.launch.run({.time = 2, .q = &b.q, .out = &b.out});
  EXPECT_EQ(b.asked, (std::vector{ArgumentRole::end_group, ArgumentRole::products}));
  EXPECT_EQ(b.device.launched, "stage");
  EXPECT_EQ(b.device.arguments[1], KernelArgument(2.0F));
  EXPECT_EQ(b.device.arguments[3], KernelArgument(std::int32_t{3}));
}

TEST(LawLaunch, GivesWhatTheUpdateDoesNotUseAnotherVector) {
  Bound b;
  b.launch.run({.q = &b.q, .sum = &b.sum, .out = &b.out});
  EXPECT_EQ(b.device.arguments[4], KernelArgument(b.q.buffer));
  EXPECT_EQ(b.device.arguments[5], KernelArgument(b.out.buffer));
  b.launch.run({.update = {.uses_sum = true}, .q = &b.q, .sum = &b.sum, .out = &b.out});
  EXPECT_EQ(b.device.arguments[5], KernelArgument(b.sum.buffer));
}

TEST(LawLaunch, WantsTheVectorsThatItsUpdateUses) {
  Bound b;
  EXPECT_THROW(b.launch.run({.update = {.uses_start = true}, .q = &b.q, .out = &b.out}), Error);
}

} // namespace
} // namespace weft
