#include "op/weak_form/form_cost.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

KernelCost cost_of(const std::string &kernel) {
  return constrain_cost(kernel, 1000, Precision::f64, {4, 1});
}

TEST(ConstrainCost, StoresByTheListBringTheirLinesAsReadsDo) {
  EXPECT_EQ(cost_of("constrain_take").memory_reads1, 1000); // stores where it has read
  EXPECT_EQ(cost_of("constrain_give_back").memory_reads1, 2000);
  EXPECT_EQ(cost_of("constrain_residual").memory_reads1, 2000);
  EXPECT_EQ(cost_of("constrain_set").memory_reads1, 1000);
  for (const char *kernel :
       {"constrain_take", "constrain_give_back", "constrain_residual", "constrain_set"})
    EXPECT_EQ(cost_of(kernel).memory_places1, cost_of(kernel).memory_reads1) << kernel;
}

TEST(ConstrainCost, OfAnUnknownKernelThereIsNone) {
  EXPECT_THROW(cost_of("constrain"), Error);
}

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
