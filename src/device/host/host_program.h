// A program of the host device: a shared object compiled from the text.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/system/dynamic_library.h"
#include "device/binary_cache.h"
#include "device/host/host_device.h"

namespace weft {

class HostProgram : public ProgramImpl {
public:
  HostProgram(ProgramSource source, const HostOptions &options, BinaryCache &cache);

  // Runs the groups before it returns, and says how many: all, or with HostOptions::sample as many
  // at most. Throws `invariant` when the arguments do not fit the kernel's parameters, or the
  // kernel breaks a rule of the dialect.
  std::int64_t run(const std::string &kernel, Launch size,
                   const std::vector<KernelArgument> &arguments);

  // The same with what it did, adding to `warps` where these are asked for; the program must have
  // been built to count.
  KernelCost run_counted(const std::string &kernel, Launch size,
                         const std::vector<KernelArgument> &arguments, WarpCounts &warps);

private:
  struct Kernel {
    void (*call)(void **arguments) = nullptr;
    std::string signature; // a letter a parameter, see kernels/dialect/host.h
  };
  // As kernels/dialect/host.h has it.
  struct WorkItem {
    std::int32_t group, num_groups, local, group_size;
    std::int64_t group_serial;
  };

  std::string compile(const std::string &command) const;
  void open(const std::string &binary);
  Kernel &find(const std::string &name);
  KernelCost take_counted();
  template <typename T> T &symbol(const char *name) const;

  ProgramSource source_;
  HostOptions options_;
  std::unique_ptr<DynamicLibrary> library_;
  std::map<std::string, Kernel> kernels_;
  std::int64_t group_serial_ = 0;
};

} // namespace weft
