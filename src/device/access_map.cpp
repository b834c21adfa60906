#include "device/access_map.h"

#include <algorithm>

#include "device/memory_pool.h"

namespace weft {

namespace {

constexpr std::uint8_t mark_read = 1, mark_written = 2, mark_streamed = 4;

} // namespace

AccessMap::AccessMap(const std::vector<KernelArgument> &arguments) {
  for (const KernelArgument &argument : arguments)
    if (const Buffer *buffer = std::get_if<Buffer>(&argument);
        buffer && *buffer && (*buffer)->bytes > 0)
      ranges_.push_back({static_cast<const char *>(block_of(*buffer).host),
                         std::vector<std::uint8_t>((*buffer)->bytes)});
  const auto before = [](const Range &a, const Range &b) { return a.begin < b.begin; };
  const auto same = [](const Range &a, const Range &b) { return a.begin == b.begin; };
  std::sort(ranges_.begin(), ranges_.end(), before);
  ranges_.erase(std::unique(ranges_.begin(), ranges_.end(), same), ranges_.end());
}

const char *AccessMap::begin() const {
  return ranges_.empty() ? nullptr : ranges_.front().begin;
}

const char *AccessMap::end() const {
  return ranges_.empty() ? nullptr : ranges_.back().begin + ranges_.back().marks.size();
}

bool AccessMap::access(const void *address, unsigned bytes, char how) {
  const char *at = static_cast<const char *>(address);
  auto range = std::upper_bound(ranges_.begin(), ranges_.end(), at,
                                [](const char *a, const Range &r) { return a < r.begin; });
  if (range == ranges_.begin())
    return false;
  --range;
  const auto first = static_cast<std::size_t>(at - range->begin);
  if (first >= range->marks.size())
    return false;
  reads_of_reals_ += how == 'v' ? 1 : 0;
  for (std::size_t i = first; i < std::min(first + bytes, range->marks.size()); ++i) {
    std::uint8_t &mark = range->marks[i];
    if (how == 's')
      mark |= mark_streamed;
    else if (how == 'w')
      mark |= mark_written;
    else if (mark == 0) // what the kernel itself has written need not come from memory
      mark |= mark_read;
  }
  return true;
}

void AccessMap::add_to(KernelCost &cost) const {
  cost.memory_reads1 += static_cast<double>(reads_of_reals_);
  for (const Range &range : ranges_)
    for (const std::uint8_t mark : range.marks) {
      cost.bytes_read += mark & mark_read ? 1 : 0;
      cost.bytes_written += mark & mark_written ? 1 : 0;
      cost.bytes_streamed += mark & mark_streamed ? 1 : 0;
    }
}

} // namespace weft
