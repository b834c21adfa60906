// A device for tests: programs compiled as plain C++ by the compiler that built the project. Not
// listed among the devices of the machine. Its buffers are separate allocations of exactly the size
// asked for, and everything happens at once, so that a sanitizer's report names the fault.
#pragma once

#include <memory>

#include "device/device.h"

namespace weft {

struct HostOptions {
  // AddressSanitizer and UndefinedBehaviorSanitizer in the kernels; needs a process that runs
  // AddressSanitizer itself (WEFT_SANITIZE=ON, or LD_PRELOAD): see sanitizers_run().
  bool sanitize = false;
  bool count_operations = false; // see take_operation_counts()
  bool reverse = false;          // groups and work-items from the last to the first
};

bool sanitizers_run();

// Throws `unsupported` for `sanitize` in a process without AddressSanitizer.
std::unique_ptr<Device> open_host_device(const HostOptions &options = {});

// Operations on reals, every lane counted for itself, padding lanes too. A multiply-add is one
// addition and one multiplication; comparisons, selections, negations and moves are free.
struct OperationCounts {
  std::uint64_t additions = 0; // and subtractions
  std::uint64_t multiplications = 0;
  std::uint64_t divisions = 0;
  std::uint64_t functions = 0; // sqrt, exp, min, ...: each is one
  std::uint64_t flops() const { return additions + multiplications + divisions + functions; }
};

// What a program built with `count_operations` has done since it was built or last asked.
OperationCounts take_operation_counts(const Program &program);

} // namespace weft
