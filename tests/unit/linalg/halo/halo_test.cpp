// Values between arrays of ranks, packed by the host where it sees the device's memory and by
// kernels where it does not.
#include "linalg/halo/halo.h"

#include <memory>
#include <mutex>

#include <gtest/gtest.h>

#include "linalg/vector.h"
#include "ranks/thread_ranks.h"
#include "support/gpu_like_device.h"
#include "support/test_device.h"

namespace weft {
namespace {

// Three ranks, each with the values 100 r + 0 .. 9 and six ghosts: of the next one its values 7, 2
// and 5, of the one before 0, 1 and 9, out of order.
HaloPlaces places_of(int rank) {
  const int next = (rank + 1) % 3, before = (rank + 2) % 3;
  HaloPlaces places;
  for (int other = 0; other < 3; ++other) {
    if (other == next)
      places.peers.push_back({other, {0, 1, 9}, {15, 10, 12}});
    if (other == before)
      places.peers.push_back({other, {7, 2, 5}, {11, 14, 13}});
  }
  return places;
}

void expect_ghosts(Communicator &ranks, Device &device, Precision precision) {
  const int rank = ranks.rank();
  Halo halo(device, ranks, places_of(rank), precision);
  const std::int64_t each = precision == Precision::f64 ? 8 : 4;
  EXPECT_EQ(halo.counts(), (HaloCounts{2, 6 * each}));
  Vector all{device.allocate(16 * each, "array"), 16, precision};
  for (const int round : {0, 1000}) {
    std::vector<double> values(16, -1.0);
    for (int i = 0; i < 10; ++i)
      values[i] = round + 100 * rank + i;
    set_vector(device, all, values);
    const CommunicationCounts before = ranks.counts();
    halo.exchange(all.buffer);
    EXPECT_EQ(ranks.counts().messages - before.messages, halo.counts().messages);
    EXPECT_EQ(ranks.counts().bytes - before.bytes, halo.counts().bytes);
    const int next = round + 100 * ((rank + 1) % 3), last = round + 100 * ((rank + 2) % 3);
    const double ghosts[6] = {next + 2., last + 0., next + 5., last + 9., last + 1., next + 7.};
    std::copy(std::begin(ghosts), std::end(ghosts), values.begin() + 10);
    EXPECT_EQ(get_vector(device, all), values);
  }
}

TEST(Halo, GhostsAreWhatOthersHave) {
  std::mutex one_at_a_time;
  run_thread_ranks(3, [&](Communicator &ranks) {
    const std::unique_ptr<Device> device = [&] {
      const std::lock_guard lock(one_at_a_time);
      return open_test_device();
    }();
    test::GpuLikeDevice unseen(*device);
    for (Device *each : {device.get(), static_cast<Device *>(&unseen)})
      for (const Precision precision : {Precision::f64, Precision::f32})
        expect_ghosts(ranks, *each, precision);
  });
}

TEST(Halo, NothingIsExchangedWithoutPeers) {
  run_thread_ranks(1, [&](Communicator &ranks) {
    Halo halo(test_device(), ranks, {}, Precision::f64);
    halo.exchange(test_device().allocate(0, "nothing"));
    EXPECT_EQ(halo.counts(), HaloCounts{});
    EXPECT_EQ(ranks.counts().messages, 0);
  });
}

} // namespace
} // namespace weft
