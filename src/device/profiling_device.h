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
#include "device/device.h"

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

  KernelProfile &operator+=(const KernelProfile &other);
};

struct StageProfile {
  double seconds = 0; // from its beginning to its end, stages inside of it too
  std::map<std::string, KernelProfile> kernels; // those of stages inside of it are theirs
};

class ProfilingDevice : public Device {
public:
  explicit ProfilingDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  // What was done since the last call, by stage, "multigrid/level 1"; "" is what is in none. Copies
  // and zeros are kernels "copy" and "zero".
  std::map<std::string, StageProfile> take_stages();
  // By kernel, in all stages.
  std::map<std::string, KernelProfile> take_profile();
  // While false, launches go through as on the device itself.
  void set_profiling(bool on) { on_ = on; }

  const DeviceInfo &info() const override { return device_->info(); }
  Buffer allocate(std::uint64_t bytes, const char *purpose) override {
    return device_->allocate(bytes, purpose);
  }
  std::uint64_t allocated_bytes() const override { return device_->allocated_bytes(); }
  std::uint64_t peak_allocated_bytes() const override { return device_->peak_allocated_bytes(); }
  void write(const Buffer &to, const void *from, std::uint64_t bytes,
             std::uint64_t offset) override {
    device_->write(to, from, bytes, offset);
  }
  void read(const Buffer &from, void *to, std::uint64_t bytes, std::uint64_t offset) override {
    device_->read(from, to, bytes, offset);
  }
  std::shared_ptr<const void> view(const Buffer &from, std::uint64_t bytes) override {
    return device_->view(from, bytes);
  }
  void write_by(const Buffer &to, std::uint64_t bytes,
                const std::function<void(void *)> &fill) override {
    device_->write_by(to, bytes, fill);
  }
  void *host_memory(const Buffer &buffer) override { return device_->host_memory(buffer); }
  void *address(const Buffer &buffer) override { return device_->address(buffer); }
  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes, std::uint64_t from_offset,
            std::uint64_t to_offset) override;
  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) override;
  Program build(const ProgramSource &source) override { return device_->build(source); }
  void launch(const Program &program, const std::string &kernel, Launch size,
              const std::vector<KernelArgument> &arguments) override;
  void load(const Program &program, const std::string &kernel, Launch size) override {
    device_->load(program, kernel, size);
  }
  void finish() override { device_->finish(); }
  void keep_kernels() override { device_->keep_kernels(); }
  std::shared_ptr<const void> keep_threads_apart() override {
    return device_->keep_threads_apart();
  }

  void enter_stage(const std::string &name) override;
  void leave_stage() override;
  bool counts_work() const override { return on_; }
  void count(const KernelCost &cost) override { next_ = cost; }

private:
  // Does `work` and waits for it; `arrays`: what it touches.
  void timed(const std::string &kernel, const std::vector<Buffer> &arrays,
             const std::function<void()> &work);

  struct OpenStage {
    std::string path;
    Timer timer;
    bool watched;
  };

  std::unique_ptr<Device> device_;
  bool on_ = false;
  std::map<std::string, StageProfile> stages_;
  std::vector<OpenStage> open_;
  std::optional<KernelCost> next_; // of the next launch
  ArrayReuse reuse_;
};

} // namespace weft
