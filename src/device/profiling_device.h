// A device that times every launch of another one by itself, for reports; what runs on it is slower
// than without, since each launch is waited for.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"

namespace weft {

class ProfilingDevice : public Device {
public:
  explicit ProfilingDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  // Seconds of each launch from its call to the end of the wait, by kernel, in their order, since
  // the last call; the first launch of a kernel may compile it.
  std::map<std::string, std::vector<double>> take_profile() { return std::move(profile_); }
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
  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes, std::uint64_t from_offset,
            std::uint64_t to_offset) override {
    device_->copy(from, to, bytes, from_offset, to_offset);
  }
  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) override {
    device_->fill_zero(buffer, bytes, offset);
  }
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

private:
  std::unique_ptr<Device> device_;
  bool on_ = false;
  std::map<std::string, std::vector<double>> profile_;
};

} // namespace weft
