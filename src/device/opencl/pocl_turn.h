// Devices of one process take turns with PoCL.
//
// PoCL (3.1, pocl_release_dlhandle_cache) keeps a kernel that it has compiled for two sizes of
// grid under one name, and takes the first of that name for the one that has ended. Two queues
// that run the same kernel on grids of different sizes at once make it count one too often: its
// assertion ends the process, or it unloads a kernel that still runs. Within one queue, which is
// in order, nothing runs at once. PoCL gives each launch all its threads, so that turns cost
// little.
#pragma once

#include <mutex>

#include "device/opencl/opencl_api.h"

namespace weft {

// Waits until no queue but this one has kernels under way, and keeps others from launching any
// while it lives.
class PoclTurn {
public:
  explicit PoclTurn(cl_command_queue queue);

  // What a queue says that is empty and launches nothing any more.
  static void end(cl_command_queue queue);

private:
  std::unique_lock<std::mutex> lock_;
};

} // namespace weft
