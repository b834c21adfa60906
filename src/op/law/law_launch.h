// A kernel of a conservation law, compiled, with its arguments.
#pragma once

#include <functional>
#include <vector>

#include "device/device.h"
#include "kernel/text/kernel_source.h"
#include "linalg/operator.h"
#include "linalg/vector.h"

namespace weft {

// What changes from call to call; a kernel reads what it has arguments for.
struct LawCall {
  double time = 0, before = 0, h = 0;
  StageUpdate update;
  const Vector *q = nullptr, *start = nullptr, *sum = nullptr, *out = nullptr;
  const Vector *shortest = nullptr;
};

class LawLaunch {
public:
  // Compiles the kernel and binds what never changes: `fixed` is asked once for each argument whose
  // role LawCall does not cover.
  LawLaunch(Device &device, KernelSource source, Launch size, Precision precision,
            const std::function<KernelArgument(const ArgumentSpec &)> &fixed);

  // Returns before it is done.
  void run(const LawCall &call);

  const KernelSource &source() const { return source_; }
  const Launch &size() const { return size_; }

private:
  KernelArgument of_call(ArgumentRole role, const LawCall &call) const;

  Device &device_;
  KernelSource source_;
  Launch size_;
  Precision precision_;
  Program program_;
  std::vector<KernelArgument> arguments_; // of the last call
  std::vector<std::size_t> of_call_;      // positions of those that each call sets
};

} // namespace weft
