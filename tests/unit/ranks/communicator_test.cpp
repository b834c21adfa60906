// Messages, gathers, parcels and agreed errors among ranks that are threads.
#include "ranks/communicator.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/system/interruption.h"
#include "ranks/thread_ranks.h"

namespace weft {
namespace {

// Collected by threads: gtest's own checks are not theirs.
class Failures {
public:
  void expect(bool holds) { count_ += holds ? 0 : 1; }
  int count() const { return count_; }

private:
  std::atomic<int> count_ = 0;
};

const int numbers_of_ranks[] = {1, 2, 3, 5, 8};

TEST(Communicator, GathersInTheOrderOfRanks) {
  for (const int size : numbers_of_ranks) {
    Failures failures;
    run_thread_ranks(size, [&](Communicator &ranks) {
      for (int round = 0; round < 20; ++round) {
        const int mine[2] = {ranks.rank() * 10 + round, -ranks.rank()};
        std::vector<int> all(2 * size);
        ranks.gather(mine, sizeof mine, all.data());
        for (int rank = 0; rank < size; ++rank)
          failures.expect(all[2 * rank] == rank * 10 + round && all[2 * rank + 1] == -rank);
      }
      failures.expect(ranks.size() == size && ranks.counts().gathers == 20);
    });
    EXPECT_EQ(failures.count(), 0) << size;
  }
}

TEST(Communicator, MessagesArriveInTheOrderInWhichTheyAreSent) {
  for (const int size : numbers_of_ranks) {
    Failures failures;
    run_thread_ranks(size, [&](Communicator &ranks) {
      // Two messages to every other rank, of sizes that depend on both.
      std::vector<std::vector<int>> out, in;
      std::vector<Piece> send, receive;
      for (int other = 0; other < size; ++other)
        for (int k = 0; k < 2 && other != ranks.rank(); ++k) {
          out.push_back(std::vector<int>(1 + ranks.rank() + 2 * other + k, 100 * ranks.rank() + k));
          in.push_back(std::vector<int>(1 + other + 2 * ranks.rank() + k));
        }
      std::size_t next = 0;
      for (int other = 0; other < size; ++other)
        for (int k = 0; k < 2 && other != ranks.rank(); ++k, ++next) {
          send.push_back({other, out[next].data(), out[next].size() * sizeof(int)});
          receive.push_back({other, in[next].data(), in[next].size() * sizeof(int)});
        }
      ranks.start(receive, send).wait();
      next = 0;
      for (int other = 0; other < size; ++other)
        for (int k = 0; k < 2 && other != ranks.rank(); ++k, ++next)
          for (const int value : in[next])
            failures.expect(value == 100 * other + k);
      failures.expect(ranks.counts().messages == 2 * (size - 1));
      std::int64_t bytes = 0;
      for (const auto &message : out)
        bytes += static_cast<std::int64_t>(message.size() * sizeof(int));
      failures.expect(ranks.counts().bytes == bytes);
    });
    EXPECT_EQ(failures.count(), 0) << size;
  }
}

TEST(Communicator, DeliversParcelsOrderedBySender) {
  for (const int size : numbers_of_ranks) {
    Failures failures;
    run_thread_ranks(size, [&](Communicator &ranks) {
      // To itself and to all whose number is larger, as many bytes as the sender's number.
      std::vector<Parcel> to;
      for (int other = size - 1; other >= ranks.rank(); --other)
        to.push_back({other, std::vector<std::byte>(ranks.rank(), std::byte(other))});
      const std::vector<Parcel> arrived = ranks.deliver(to);
      failures.expect(int(arrived.size()) == ranks.rank() + 1);
      for (int from = 0; from < int(arrived.size()); ++from) {
        failures.expect(arrived[from].rank == from && int(arrived[from].bytes.size()) == from);
        for (const std::byte byte : arrived[from].bytes)
          failures.expect(byte == std::byte(ranks.rank()));
      }
    });
    EXPECT_EQ(failures.count(), 0) << size;
  }
}

TEST(Communicator, SumsHaveTheSameBitsOnEveryRank) {
  for (const int size : numbers_of_ranks) {
    Failures failures;
    double expected = 0;
    for (int rank = 0; rank < size; ++rank)
      expected += 1.0 / (rank + 3);
    run_thread_ranks(size, [&](Communicator &ranks) {
      const int rank = ranks.rank();
      failures.expect(sum(&ranks, 1.0 / (rank + 3)) == expected);
      failures.expect(sum(&ranks, std::int64_t{rank}) == size * (size - 1) / 2);
      failures.expect(largest(&ranks, -2.0 * rank) == 0);
      failures.expect(smallest(&ranks, -2.0 * rank) == -2.0 * (size - 1));
      failures.expect(any(&ranks, rank == size - 1));
      failures.expect(!any(&ranks, false));
      const std::vector<double> both = sum(&ranks, std::vector<double>{1.0, 1.0 / (rank + 3)});
      failures.expect(both == std::vector<double>({double(size), expected}));
    });
    EXPECT_EQ(failures.count(), 0) << size;
  }
  EXPECT_EQ(sum(nullptr, 2.5), 2.5);
  EXPECT_EQ(largest(nullptr, 2.5), 2.5);
  EXPECT_TRUE(any(nullptr, true));
}

TEST(Communicator, AllRanksThrowTheErrorOfTheLowestThatFailed) {
  for (const int size : numbers_of_ranks) {
    const int failing = size / 2;
    Failures failures;
    run_thread_ranks(size, [&](Communicator &ranks) {
      together(&ranks, [] {}); // nobody fails
      try {
        together(&ranks, [&] {
          if (ranks.rank() >= failing)
            throw Error(ErrorKind::system, {.what = "no room",
                                            .where = fmt::format("file {}", ranks.rank()),
                                            .remedy = "make some"});
        });
        failures.expect(false);
      } catch (const Error &error) {
        failures.expect(error.kind() == ErrorKind::system);
        failures.expect(error.diagnostic().what == "no room");
        const std::string rank = size == 1 ? "" : fmt::format(" (on rank {})", failing);
        failures.expect(error.diagnostic().where == fmt::format("file {}", failing) + rank);
        failures.expect(error.diagnostic().remedy == "make some");
        failures.expect(error.diagnostic().found.empty());
      }
      failures.expect(sum(&ranks, std::int64_t{1}) == size); // they are in step
    });
    EXPECT_EQ(failures.count(), 0) << size;
  }
}

// What a rank throws of another kind of error than the others see is told with its rank.
std::string failure_of(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    return error.diagnostic().what + ": " + error.diagnostic().where;
  }
  return "none";
}

TEST(Communicator, AnErrorOfAllIsToldWithoutARank) {
  Failures failures;
  run_thread_ranks(3, [&](Communicator &ranks) {
    const std::string found = failure_of([&] {
      together(&ranks, [] { throw Error(ErrorKind::input, {.what = "wrong", .where = "case"}); });
    });
    failures.expect(found == "wrong: case");
  });
  EXPECT_EQ(failures.count(), 0);
}

// Rank 1 fails where the others have gone on to a gather, within calls of together() or not.
TEST(Communicator, RanksThatGatherHearThatAnotherFailed) {
  for (const int size : {2, 3, 5})
    for (const bool nested : {false, true}) {
      Failures failures;
      run_thread_ranks(size, [&](Communicator &ranks) {
        const std::string found = failure_of([&] {
          together(&ranks, [&] {
            together(&ranks, [] {});
            if (ranks.rank() == 1)
              throw Error(ErrorKind::system, {.what = "no room", .where = "disk"});
            if (nested)
              together(&ranks, [&] { sum(&ranks, 1.0); });
            failures.expect(!ranks.unwinds() && nested == false);
            sum(&ranks, std::vector<double>(100, 1.0));
            failures.expect(false);
          });
        });
        failures.expect(found == "no room: disk (on rank 1)");
        failures.expect(!ranks.unwinds());
        failures.expect(sum(&ranks, std::int64_t{1}) == size); // they are in step
      });
      EXPECT_EQ(failures.count(), 0) << size << " " << nested;
    }
}

// An inner failure that the body catches ends there.
TEST(Communicator, AFailureThatIsCaughtIsForgotten) {
  Failures failures;
  run_thread_ranks(3, [&](Communicator &ranks) {
    together(&ranks, [&] {
      const std::string found =
          failure_of([&] { together(&ranks, [&] { require(ranks.rank() != 2, "on purpose"); }); });
      failures.expect(found.find("rank 2") != std::string::npos);
      failures.expect(!ranks.unwinds());
      failures.expect(sum(&ranks, std::int64_t{1}) == 3);
    });
  });
  EXPECT_EQ(failures.count(), 0);
}

// Where the others wait for messages that it will not send, a rank throws alone.
TEST(Communicator, ARankThatNobodyHearsIsLost) {
  Failures failures;
  try {
    run_thread_ranks(2, [&](Communicator &ranks) {
      together(&ranks, [&] {
        if (ranks.rank() == 0)
          throw Error(ErrorKind::numerical, {.what = "NaN"});
        double value = 0;
        ranks.start(std::vector<Piece>{{0, &value, sizeof value}}, {}).wait();
      });
    });
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.diagnostic().what, "NaN");
    EXPECT_EQ(error.diagnostic().where, "");
  }
}

TEST(Communicator, AnInterruptionOfOneIsOneOfAll) {
  Failures failures;
  run_thread_ranks(3, [&](Communicator &ranks) {
    try {
      together(&ranks, [&] {
        if (ranks.rank() == 2)
          throw Interrupted{15};
        sum(&ranks, 1.0);
      });
      failures.expect(false);
    } catch (const Interrupted &interruption) {
      failures.expect(interruption.signal == 15);
    }
  });
  EXPECT_EQ(failures.count(), 0);
}

TEST(Communicator, TheFirstTextAndAllValues) {
  Failures failures;
  run_thread_ranks(5, [&](Communicator &ranks) {
    const std::string own = ranks.rank() < 2 ? "" : std::string(ranks.rank() * 100, 'x');
    failures.expect(first_text(&ranks, own) == std::string(200, 'x'));
    failures.expect(first_text(&ranks, "").empty());
    const auto all = gathered(&ranks, std::vector<double>{1.0 * ranks.rank(), 7});
    failures.expect(all.size() == 5 && all[3] == std::vector<double>({3, 7}));
  });
  EXPECT_EQ(failures.count(), 0);
  EXPECT_EQ(first_text(nullptr, "alone"), "alone");
}

TEST(ThreadRanks, SayWhoWaitsInVain) {
  // Rank 1 gathers, rank 2 waits for a message that nobody sends, rank 0 has ended.
  try {
    run_thread_ranks(3, [&](Communicator &ranks) {
      int value = ranks.rank();
      std::vector<int> all(3);
      if (ranks.rank() == 1)
        ranks.gather(&value, sizeof value, all.data());
      if (ranks.rank() == 2)
        ranks.start(std::vector<Piece>{{0, &value, sizeof value}}, {}).wait();
    });
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::invariant);
    EXPECT_EQ(error.diagnostic().found, "rank 1 for a gather, rank 2 for a message of rank 0");
  }
}

TEST(ThreadRanks, TheErrorOfARankIsTold) {
  try {
    run_thread_ranks(3, [&](Communicator &ranks) {
      if (ranks.rank() == 2)
        throw Error(ErrorKind::numerical, {.what = "NaN"});
      sum(&ranks, 1.0); // in vain
    });
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
  }
}

TEST(ThreadRanks, ASimulatedNetworkTakesItsTime) {
  const auto start = std::chrono::steady_clock::now();
  run_thread_ranks(2,
                   [&](Communicator &ranks) {
                     std::vector<char> mine(10'000), other(10'000);
                     const int peer = 1 - ranks.rank();
                     for (int round = 0; round < 5; ++round)
                       ranks
                           .start(std::vector<Piece>{{peer, other.data(), other.size()}},
                                  std::vector<Piece>{{peer, mine.data(), mine.size()}})
                           .wait();
                   },
                   {.latency_s = 0.002, .bytes_per_s = 1e7});
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GE(took, 5 * (0.002 + 0.001));
}

} // namespace
} // namespace weft
