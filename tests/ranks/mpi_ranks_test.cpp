// Messages through MPI, on the ranks that mpirun starts: tests/CMakeLists.txt.
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "ranks/open_communicator.h"

namespace weft {
namespace {

void check_ranks(Communicator &ranks) {
  const int size = ranks.size(), rank = ranks.rank();
  require(rank == launched_rank() && size == num_launched_processes(), "numbers of the launcher");
  require(ranks.machine_size() == size && ranks.machine_rank() == rank, "ranks of one machine");
  // A ring, with pieces of many sizes.
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (const std::size_t count : {0, 1, 1000, 1'000'000}) {
    std::vector<double> mine(count), other(count, -1);
    std::iota(mine.begin(), mine.end(), 1e6 * rank);
    const std::vector<Piece> receive = {{last, other.data(), count * sizeof(double)}};
    const std::vector<Piece> send = {{next, mine.data(), count * sizeof(double)}};
    ranks.start(receive, send).wait();
    for (std::size_t i = 0; i < count; ++i)
      require(other[i] == 1e6 * last + static_cast<double>(i), "what the rank before has sent");
  }
  require(sum(&ranks, std::int64_t{rank}) == size * (size - 1) / 2, "a sum");
  std::vector<Parcel> to;
  for (int other = 0; other < size; ++other)
    to.push_back({other, std::vector<std::byte>(other + 1, std::byte(rank))});
  for (const Parcel &parcel : ranks.deliver(to))
    require(parcel.bytes == std::vector<std::byte>(rank + 1, std::byte(parcel.rank)), "a parcel");
  bool thrown = false;
  try {
    together(&ranks, [&] { require(rank != size - 1, "on purpose"); });
  } catch (const Error &) {
    thrown = true;
  }
  require(thrown, "an error on one rank is thrown on all");
  std::string found;
  try { // where the others have gone on to a gather
    together(&ranks, [&] {
      require(rank != 0, "on purpose");
      sum(&ranks, 1.0);
    });
  } catch (const Error &error) {
    found = error.diagnostic().where;
  }
  require(found == "(on rank 0)" && !ranks.unwinds(), "ranks in a gather hear of it");
  require(sum(&ranks, std::int64_t{1}) == size, "they are in step");
}

// The last rank fails while the others wait for its message.
void lose_a_rank(Communicator &ranks) {
  const int last = ranks.size() - 1;
  together(&ranks, [&] {
    if (ranks.rank() == last)
      throw Error(ErrorKind::system, {.what = "a device fails"});
    double value = 0;
    ranks.start(std::vector<Piece>{{last, &value, sizeof value}}, {}).wait();
  });
}

} // namespace
} // namespace weft

// "lost" as argument: lose_a_rank().
int main(int argc, char **argv) {
  std::unique_ptr<weft::Communicator> ranks;
  try {
    ranks = weft::open_communicator();
    weft::require(ranks != nullptr, "a launcher with several processes");
    if (argc > 1 && std::string(argv[1]) == "lost")
      weft::lose_a_rank(*ranks);
    weft::check_ranks(*ranks);
    if (ranks->rank() == 0)
      std::printf("%d ranks agree\n", ranks->size());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    if (ranks && ranks->lost())
      ranks->abort(3);
    return 1;
  }
  return 0;
}
