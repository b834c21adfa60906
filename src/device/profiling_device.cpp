#include "device/profiling_device.h"

#include "base/timer.h"

namespace weft {

void ProfilingDevice::launch(const Program &program, const std::string &kernel, Launch size,
                             const std::vector<KernelArgument> &arguments) {
  if (!on_) {
    device_->launch(program, kernel, size, arguments);
    return;
  }
  device_->finish();
  const Timer timer;
  device_->launch(program, kernel, size, arguments);
  device_->finish();
  profile_[kernel].push_back(timer.seconds());
}

} // namespace weft
