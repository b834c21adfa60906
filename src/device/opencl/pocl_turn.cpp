#include "device/opencl/pocl_turn.h"

#include "device/wait_watch.h"

namespace weft {

namespace {

std::mutex mutex_of_turns;
cl_command_queue latest = nullptr; // the only queue that may have kernels under way

} // namespace

PoclTurn::PoclTurn(cl_command_queue queue) : lock_(mutex_of_turns) {
  if (latest && latest != queue) {
    const DeviceWait wait;
    check_opencl(clFinish(latest), "clFinish");
  }
  latest = queue;
}

void PoclTurn::end(cl_command_queue queue) {
  const std::lock_guard lock(mutex_of_turns);
  if (latest == queue)
    latest = nullptr;
}

} // namespace weft
