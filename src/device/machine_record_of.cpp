#include "device/machine_record_of.h"

namespace weft {

MachineRecord machine_record(const DeviceInfo &device) {
  return {.device = device.name, .driver = device.driver, .cores = device.compute_units};
}

} // namespace weft
