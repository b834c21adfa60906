#include "device/array_reuse.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

// No cache is as large: what was touched so long ago is forgotten.
constexpr std::uint64_t longest_distance = 4ULL << 30;

} // namespace

TouchedArrays ArrayReuse::touch(const std::vector<Buffer> &arrays) {
  TouchedArrays result;
  std::list<Touched> now;
  std::uint64_t of_now = 0;
  for (const Buffer &array : arrays) {
    const auto address = reinterpret_cast<std::uintptr_t>(array.get());
    const auto same = [&](const Touched &touched) { return touched.address == address; };
    if (array && array->bytes > 0 && std::none_of(now.begin(), now.end(), same)) {
      now.push_back({address, array->bytes});
      of_now += array->bytes;
    }
  }
  // Arrays of this launch lie among those touched before it; each keeps the others away too.
  std::uint64_t since = 0;
  for (auto touched = arrays_.begin(); touched != arrays_.end();) {
    const auto found = std::find_if(now.begin(), now.end(), [&](const Touched &array) {
      return array.address == touched->address;
    });
    since += touched->bytes;
    if (found != now.end() && found->bytes == touched->bytes)
      result.near_bytes[static_cast<int>(std::lround(std::log2(std::max(since, of_now))))] +=
          static_cast<double>(touched->bytes);
    touched = found != now.end() || since > longest_distance ? arrays_.erase(touched)
                                                             : std::next(touched);
  }
  arrays_.splice(arrays_.begin(), now);
  result.bytes = static_cast<double>(of_now);
  return result;
}

} // namespace weft
