#include "device/host/warp_trace.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/hash.h"

namespace weft {

namespace {

constexpr int warp_size = 32;
constexpr std::uint64_t sector_bytes = 32, word_bytes = 4;
constexpr int num_banks = 32;
// Of a group that is recorded in part: some 200 MB.
constexpr std::size_t most_events = std::size_t{1} << 23;

// Pieces of `size` bytes that an access touches.
void add_pieces(std::uint64_t address, unsigned bytes, std::uint64_t size,
                std::vector<std::uint64_t> &pieces) {
  for (std::uint64_t piece = address / size; piece * size < address + bytes; ++piece)
    pieces.push_back(piece);
}

void keep_different(std::vector<std::uint64_t> &pieces) {
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
}

// Passes beyond those that so many words in different banks would take.
double conflicts_of(const std::vector<std::uint64_t> &words) {
  int most = 0, of_bank[num_banks] = {};
  for (const std::uint64_t word : words)
    most = std::max(most, ++of_bank[word % num_banks]);
  const auto least = (words.size() + num_banks - 1) / num_banks;
  return static_cast<double>(most) - static_cast<double>(least);
}

} // namespace

WarpTrace::WarpTrace(const void *text_begin, const void *text_end, int group_size, bool in_part)
    : text_begin_(reinterpret_cast<std::uint64_t>(text_begin)),
      text_end_(reinterpret_cast<std::uint64_t>(text_end)),
      most_of_item_(in_part ? most_events / group_size : std::numeric_limits<std::size_t>::max()),
      items_(group_size) {}

// Frames of the x86-64 and AArch64 conventions: the caller's frame, then the return address.
std::int32_t WarpTrace::place_of(const void *frame) {
  std::uint64_t addresses[64];
  std::size_t depth = 0;
  for (const auto *at = static_cast<const std::uint64_t *>(frame);
       depth < 64 && at[1] >= text_begin_ && at[1] < text_end_;
       at = reinterpret_cast<const std::uint64_t *>(at[0]))
    addresses[depth++] = at[1];
  const std::uint64_t hash =
      hash_64({reinterpret_cast<const char *>(addresses), depth * sizeof addresses[0]});
  const auto [found, is_new] =
      place_by_hash_.try_emplace(hash, static_cast<std::int32_t>(places_.size()));
  if (is_new)
    places_.emplace_back(std::reverse_iterator(addresses + depth),
                         std::reverse_iterator(addresses));
  return found->second;
}

void WarpTrace::step(const void *frame, const void *address, unsigned bytes, char how) {
  if (!running_) // no work-item has begun
    return;
  if (running_->size() >= most_of_item_) {
    ++left_out_;
    return;
  }
  running_->push_back({place_of(frame), static_cast<std::uint8_t>(bytes), how,
                       reinterpret_cast<std::uint64_t>(address)});
}

// The smallest address first, and what is called before what follows the call: threads that left a
// loop or a branch early wait for the others where it ends.
void WarpTrace::rank_places() {
  std::vector<std::int32_t> order(places_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const auto &p = places_[a], &q = places_[b];
    const auto [at_p, at_q] = std::mismatch(p.begin(), p.end(), q.begin(), q.end());
    if (at_p == p.end() || at_q == q.end())
      return p.size() > q.size();
    return *at_p < *at_q;
  });
  ranks_.resize(places_.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    ranks_[order[i]] = static_cast<std::int32_t>(i);
}

void WarpTrace::replay(const Events *begin, const Events *end, WarpCounts &counts) const {
  const auto num_threads = static_cast<std::size_t>(end - begin);
  std::vector<std::size_t> next(num_threads, 0);
  std::vector<std::size_t> active;
  std::vector<std::uint64_t> pieces;
  bool loaded = false; // since the last barrier
  for (;;) {
    // Those that stand at the first place, barriers last; in the end none is left.
    active.clear();
    std::int64_t first = 0;
    for (std::size_t t = 0; t < num_threads; ++t) {
      if (next[t] == begin[t].size())
        continue;
      const Event &event = begin[t][next[t]];
      const std::int64_t rank =
          ranks_[event.place] + (event.how == '|' ? std::int64_t{1} << 32 : 0);
      if (active.empty() || rank < first) {
        active.clear();
        first = rank;
      }
      if (rank == first)
        active.push_back(t);
    }
    if (active.empty())
      return;
    const char how = begin[active[0]][next[active[0]]].how;
    if (how == 'b') {
      ++counts.steps;
      counts.divergent_steps += active.size() < num_threads;
    } else if (how == '|') {
      ++counts.barriers;
      loaded = false;
    } else {
      const bool is_local = how == 'l';
      pieces.clear();
      for (const std::size_t t : active) {
        const Event &event = begin[t][next[t]];
        add_pieces(event.address, event.bytes, is_local ? word_bytes : sector_bytes, pieces);
      }
      keep_different(pieces);
      if (is_local) {
        ++counts.local_requests;
        counts.bank_conflicts += conflicts_of(pieces);
      } else {
        ++counts.requests;
        const bool reads = how == 'r' || how == 'v';
        counts.load_phases += reads && !loaded;
        loaded = loaded || reads;
        (reads ? counts.sectors_read : counts.sectors_written) +=
            static_cast<double>(pieces.size());
      }
    }
    for (const std::size_t t : active)
      ++next[t];
  }
}

bool WarpTrace::add_to(WarpCounts &counts) {
  rank_places();
  WarpCounts of_group;
  double recorded = 0;
  for (std::size_t first = 0; first < items_.size(); first += warp_size)
    replay(items_.data() + first, items_.data() + std::min(first + warp_size, items_.size()),
           of_group);
  for (Events &events : items_) {
    recorded += static_cast<double>(events.size());
    events.clear();
  }
  running_ = nullptr;
  const double left_out = std::exchange(left_out_, 0);
  counts += left_out > 0 ? (1 + left_out / recorded) * of_group : of_group;
  return left_out == 0;
}

} // namespace weft
