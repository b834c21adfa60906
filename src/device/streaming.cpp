#include "device/streaming.h"

namespace weft {

bool streams_by_default(double state_bytes, const DeviceInfo &device) {
  return 2 * state_bytes > static_cast<double>(device.last_cache_bytes);
}

} // namespace weft
