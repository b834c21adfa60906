// How long ago a device touched the arrays of a launch, by which its caches may hold them still.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "device/device.h"

namespace weft {

// Reuse distances (Mattson, Gecsei, Slutz, Traiger: Evaluation techniques for storage hierarchies,
// 1970, doi:10.1147/sj.92.0078) by whole arrays: the bytes of an array are in a cache where that
// has room for them and for all that was touched since the array was touched last.
class ArrayReuse {
public:
  // Bytes of the arrays of a launch that were touched before, by the power of two, rounded, of the
  // distance in bytes; and takes note that they are touched now. An array counts once.
  std::map<int, double> touch(const std::vector<Buffer> &arrays);

private:
  struct Touched {
    std::uint64_t address; // of the handle, which may be gone
    std::uint64_t bytes;
  };
  std::list<Touched> arrays_; // the last one touched first
};

} // namespace weft
