// A device for tests and for counts: programs compiled as plain C++ by the compiler that built the
// project. Not listed among the devices of the machine. Its buffers are separate allocations of
// exactly the size asked for, and everything happens at once, so that a sanitizer's report names
// the fault.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cost/kernel_cost.h"
#include "cost/warp_counts.h"
#include "device/device.h"

namespace weft {

struct HostOptions {
  // AddressSanitizer and UndefinedBehaviorSanitizer in the kernels; needs a process that runs
  // AddressSanitizer itself (WEFT_SANITIZE=ON, or LD_PRELOAD): see sanitizers_run().
  bool sanitize = false;
  bool count = false;   // see take_counted_costs()
  bool warps = false;   // see take_warp_counts(); counts the rest, too
  bool gpu = false;     // says that it is no CPU: kernels as for GPUs, a lane a work-item
  bool reverse = false; // groups and work-items from the last to the first
  // Of a launch only so many groups, spread over all, are run: for counts, and of warps that do
  // very much only the beginning is counted, for the rest too. 0: all.
  int sample = 0;
};

bool sanitizers_run();

// Throws `unsupported` for `sanitize` in a process without AddressSanitizer.
std::unique_ptr<Device> open_host_device(const HostOptions &options = {});

// What the kernels of a device opened with `count` did since it was last asked, by their names:
// operations of every lane, padding lanes too; unique bytes of each launch's buffers, added up;
// bytes of arrays in local memory; reads and adds of stages by the dialect's gathers and scatters;
// work-groups, work-items and launches. Comparisons, selections, negations and moves are free.
// memory_reads1 is all reads of reals in buffers, by an index or not; other accesses of a stage in
// private memory are not counted.
std::map<std::string, KernelCost> take_counted_costs(Device &host_device);
// What warps of the same kernels would have done, of a device opened with `warps`; `gpu` goes with
// it. Of work-groups of one item there is nothing to count.
std::map<std::string, WarpCounts> take_warp_counts(Device &host_device);

} // namespace weft
