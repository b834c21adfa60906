// Reuse distances of whole arrays, by hand.
#include "device/array_reuse.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

Buffer array(std::uint64_t bytes) {
  auto buffer = std::make_shared<BufferImpl>();
  buffer->bytes = bytes;
  return buffer;
}

constexpr std::uint64_t kilobyte = 1024;

TEST(ArrayReuse, WhatIsTouchedFirstIsNearNothing) {
  ArrayReuse reuse;
  EXPECT_TRUE(reuse.touch({array(kilobyte), array(kilobyte)}).near_bytes.empty());
}

TEST(ArrayReuse, DistanceIsWhatWasTouchedSinceAndTheArrayItself) {
  ArrayReuse reuse;
  const Buffer a = array(kilobyte), b = array(3 * kilobyte);
  reuse.touch({a});
  EXPECT_EQ(reuse.touch({a}).near_bytes, (std::map<int, double>{{10, 1024}}));
  reuse.touch({b});
  EXPECT_EQ(reuse.touch({a}).near_bytes, (std::map<int, double>{{12, 1024}}));
}

TEST(ArrayReuse, ArraysOfALaunchKeepEachOtherAway) {
  ArrayReuse reuse;
  const Buffer a = array(kilobyte), b = array(kilobyte);
  reuse.touch({a, b});
  EXPECT_EQ(reuse.touch({a, b}).near_bytes, (std::map<int, double>{{11, 2048}}));
}

TEST(ArrayReuse, AnArrayGivenTwiceCountsOnce) {
  ArrayReuse reuse;
  const Buffer a = array(kilobyte);
  EXPECT_EQ(reuse.touch({a, a}).bytes, 1024);
  EXPECT_EQ(reuse.touch({a, a, nullptr}).near_bytes, (std::map<int, double>{{10, 1024}}));
}

} // namespace
} // namespace weft
