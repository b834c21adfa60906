#include "device/cuda/occupancy.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

double of(int capability, int registers, int shared_bytes, int group_size) {
  return occupancy({.kernel = "k", .registers = registers, .shared_bytes = shared_bytes},
                   group_size, multiprocessor_limits(capability));
}

// What NVIDIA's calculator of occupancy gives.
TEST(Occupancy, RegistersLimitIt) {
  EXPECT_EQ(of(80, 32, 0, 128), 1);
  EXPECT_EQ(of(80, 33, 0, 128), 0.75);  // 40 registers: 12 warps a part of the multiprocessor
  EXPECT_EQ(of(80, 255, 0, 64), 0.125); // 2 warps a part
  EXPECT_EQ(of(75, 64, 0, 128), 1);     // half as many warps as other generations
  EXPECT_EQ(of(86, 40, 0, 128), 1);     // 48 warps
  EXPECT_EQ(of(90, 255, 0, 1024), 0);   // a block has more warps than the registers hold
}

TEST(Occupancy, SharedMemoryAndBlocksLimitIt) {
  EXPECT_EQ(of(80, 16, 48 << 10, 128), 3.0 * 4 / 64); // 49 KiB of 164 with the system's
  EXPECT_EQ(of(70, 16, 48 << 10, 128), 2.0 * 4 / 64);
  EXPECT_EQ(of(90, 16, 0, 32), 0.5); // 32 blocks of a warp
  EXPECT_EQ(of(90, 16, 0, 33), 1);   // two warps, the second of one thread
}

TEST(Occupancy, OfANewerGpuIsThatOfTheNewestKnown) {
  EXPECT_EQ(multiprocessor_limits(120).shared_bytes, multiprocessor_limits(90).shared_bytes);
  EXPECT_EQ(multiprocessor_limits(87).warps, 48);
}

} // namespace
} // namespace weft
