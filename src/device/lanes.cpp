#include "device/lanes.h"

namespace weft {

int default_lanes(const DeviceInfo &device, Precision precision) {
  return device.is_cpu ? device.native_lanes_f64 * (precision == Precision::f32 ? 2 : 1) : 1;
}

} // namespace weft
