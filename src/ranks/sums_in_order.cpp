#include "ranks/sums_in_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "ranks/bytes.h"

namespace weft {

namespace {

// Equal ranges of the numbers, one a rank.
struct Ranges {
  std::int64_t each = 1;
  int rank_of(std::int64_t number) const { return static_cast<int>(number / each); }
};

} // namespace

SumsInOrder sums_in_order(const CountsByNumber &held, Communicator &ranks) {
  const Ranges ranges{
      std::max<std::int64_t>((held.num_numbers + ranks.size() - 1) / ranks.size(), 1)};
  std::vector<std::vector<std::size_t>> asked(ranks.size()); // [rank]: places in `held`
  for (std::size_t i = 0; i < held.number.size(); ++i)
    asked[ranges.rank_of(held.number[i])].push_back(i);
  std::vector<Parcel> questions;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (asked[rank].empty())
      continue;
    std::vector<std::int64_t> pairs;
    for (const std::size_t i : asked[rank]) {
      pairs.push_back(held.number[i] - rank * ranges.each);
      pairs.push_back(held.count[i]);
    }
    ByteWriter writer;
    writer(pairs);
    questions.push_back({rank, writer.take()});
  }
  const std::vector<Parcel> arrived = ranks.deliver(std::move(questions));
  std::vector<std::vector<std::int64_t>> pairs_of(arrived.size());
  std::vector<std::pair<std::int64_t, std::int64_t>> sums; // number of this rank's range, count
  for (std::size_t a = 0; a < arrived.size(); ++a) {
    ByteReader reader(arrived[a].bytes);
    reader(pairs_of[a]);
    for (std::size_t i = 0; i < pairs_of[a].size(); i += 2)
      sums.emplace_back(pairs_of[a][i], pairs_of[a][i + 1]);
  }
  std::sort(sums.begin(), sums.end());
  std::int64_t total = 0;
  for (auto &[number, count] : sums)
    total += std::exchange(count, total);
  std::vector<std::int64_t> totals(ranks.size());
  ranks.gather(&total, sizeof total, totals.data());
  const std::int64_t lower =
      std::accumulate(totals.begin(), totals.begin() + ranks.rank(), std::int64_t{0});
  std::vector<Parcel> answers;
  for (std::size_t a = 0; a < arrived.size(); ++a) {
    std::vector<std::int64_t> before;
    for (std::size_t i = 0; i < pairs_of[a].size(); i += 2)
      before.push_back(lower + std::lower_bound(sums.begin(), sums.end(),
                                                std::pair(pairs_of[a][i], std::int64_t{0}))
                                   ->second);
    ByteWriter writer;
    writer(before);
    answers.push_back({arrived[a].rank, writer.take()});
  }
  SumsInOrder result;
  result.before.resize(held.number.size());
  result.all = std::accumulate(totals.begin(), totals.end(), std::int64_t{0});
  for (const Parcel &parcel : ranks.deliver(std::move(answers))) {
    std::vector<std::int64_t> before;
    ByteReader reader(parcel.bytes);
    reader(before);
    require(before.size() == asked[parcel.rank].size(), "every question has an answer");
    for (std::size_t i = 0; i < before.size(); ++i)
      result.before[asked[parcel.rank][i]] = before[i];
  }
  return result;
}

} // namespace weft
