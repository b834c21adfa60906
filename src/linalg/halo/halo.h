// What ranks exchange of an array on their devices before each computes at its border.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/precision.h"
#include "device/device.h"
#include "ranks/communicator.h"
#include "ranks/halo_places.h"

namespace weft {

// What a rank sends.
struct HaloCounts {
  std::int64_t messages = 0, bytes = 0;
  HaloCounts &operator+=(const HaloCounts &other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  bool operator==(const HaloCounts &) const = default;
};

// Of one kind of array, of f64 or f32. Messages go from host to host. Where the host sees the
// device's memory it packs and unpacks them, while kernels are under way; else kernels do.
class Halo {
public:
  // `ranks` must outlive it.
  Halo(Device &device, Communicator &ranks, const HaloPlaces &places, Precision precision);

  // Sends what others read, as queued work leaves it; waits for that alone.
  void begin(const Buffer &array);
  // Waits for what others send; what is launched after it finds the ghosts. What is under way
  // meanwhile must not look at them.
  void end(const Buffer &array);
  void exchange(const Buffer &array) {
    begin(array);
    end(array);
  }

  // Puts NaN in place of what came; waits for queued work.
  void forget(const Buffer &array);

  // Of one exchange.
  HaloCounts counts() const;

private:
  struct Direction {
    std::vector<std::int32_t> places;
    Buffer device_places, packed;  // where kernels pack
    std::vector<std::byte> values; // by peer
    std::vector<Piece> pieces;
    std::int64_t count() const { return static_cast<std::int64_t>(places.size()); }
  };
  Direction make_direction(const HaloPlaces &places,
                           std::vector<std::int32_t> HaloPlaces::Peer::*which);
  void make_kernels();
  void launch(const char *kernel, Direction &direction, const Buffer &first, const Buffer &second);
  void pack(const Buffer &array);
  void unpack(const Buffer &array);

  Device &device_;
  Communicator &ranks_;
  Precision precision_;
  Program program_;
  Direction send_, receive_;
  std::uint64_t least_bytes_ = 0; // of an array that has all places
  std::optional<Exchange> exchange_;
};

} // namespace weft
