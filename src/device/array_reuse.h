// How long ago a device touched the arrays of a launch, by which its caches may hold them still.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "device/device.h"

namespace weft {

// The arrays of a launch, each counted once.
struct TouchedArrays {
  double bytes = 0;
  // Of those, the ones that were touched before, by the power of two, rounded, of the distance in
  // bytes.
  std::map<int, double> near_bytes;
};

// Reuse distances (Mattson, Gecsei, Slutz, Traiger: Evaluation techniques for storage hierarchies,
// 1970, doi:10.1147/sj.92.0078) by whole arrays: the bytes of an array are in a cache where that
// has room for them and for all that was touched since the array was touched last.
class ArrayReuse {
public:
  // Takes note that the arrays of a launch are touched now.
  TouchedArrays touch(const std::vector<Buffer> &arrays);

private:
  struct Touched {
    std::uint64_t address; // of the handle, which may be gone
    std::uint64_t bytes;
  };
  std::list<Touched> arrays_; // the last one touched first
};

} // namespace weft
