// A device that times every launch of another one by itself, for reports; what runs on it is slower
// than without, since each launch is waited for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/timer.h"
#include "device/array_reuse.h"
#include "device/forwarding_device.h"

namespace weft {

// Launches of one kernel in one stage.
struct KernelProfile {
  std::vector<double>
      seconds;        // of each, from its call to the end of the wait; the first may compile
  KernelCost counted; // of those that were counted
  std::int64_t num_counted = 0;
  double array_bytes = 0; // of the arrays of all launches, each in full
  // Of those, the arrays that were touched before: see KernelCost::near_bytes.
  std::map<int, double> near_array_bytes;
  // Of the first that was looked at, where the device can tell: see Device::launch_use().
  std::optional<LaunchUse> use;
  double groups = 0; // of all launches

  KernelProfile &operator+=(const KernelProfile &other);
};

struct StageProfile {
  double seconds = 0; // from its beginning to its end, stages inside of it too
  std::map<std::string, KernelProfile> kernels; // those of stages inside of it are theirs
};

class ProfilingDevice : public ForwardingDevice {
public:
  explicit ProfilingDevice(std::unique_ptr<Device> device) : ForwardingDevice(std::move(device)) {}

  // What was done since the last call, by stage, "multigrid/level 1"; "" is what is in none. Copies
  // and zeros are kernels "copy" and "zero".
  std::map<std::string, StageProfile> take_stages();
  // By kernel, in all stages.
  std::map<std::string, KernelProfile> take_profile();
  // While false, launches go through as on the device itself.
  void set_profiling(bool on) { on_ = on; }

  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes, std::uint64_t from_offset,
            std::uint64_t to_offset) override;
  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) override;
  void launch(const Program &program, const std::string &kernel, Launch size,
              const std::vector<KernelArgument> &arguments) override;
  // What is watched is done launch by launch.
  bool records() const override { return !on_ && ForwardingDevice::records(); }
  void enter_stage(const std::string &name) override;
  void leave_stage() override;
  bool counts_work() const override { return on_; }
  void count(const KernelCost &cost) override { next_ = cost; }

private:
  // Of the stage that is open.
  KernelProfile &profile_of(const std::string &kernel) {
    return stages_[open_.empty() ? "" : open_.back().path].kernels[kernel];
  }
  // Does `work` and waits for it; `arrays`: what it touches.
  void timed(const std::string &kernel, const std::vector<Buffer> &arrays,
             const std::function<void()> &work);

  struct OpenStage {
    std::string path;
    Timer timer;
    bool watched;
  };

  bool on_ = false;
  std::map<std::string, StageProfile> stages_;
  std::vector<OpenStage> open_;
  std::optional<KernelCost> next_; // of the next launch
  ArrayReuse reuse_;
};

} // namespace weft
