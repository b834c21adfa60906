#include "op/weak_form/form_cost.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(ListLaunch, CpusTakeManyEntriesAnItem) {
  DeviceInfo cpu;
  cpu.is_cpu = true;
  EXPECT_EQ(list_launch(1000, cpu).groups, 4);
  EXPECT_EQ(list_launch(1000, cpu).group_size, 1);
  const Launch gpu = list_launch(1000, {});
  EXPECT_EQ(gpu.groups, 8);
  EXPECT_EQ(gpu.groups * gpu.group_size, 1024);
}

} // namespace
} // namespace weft
