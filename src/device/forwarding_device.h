// A device that does what another one does, but for what its classes do beside it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/device.h"

namespace weft {

class ForwardingDevice : public Device {
public:
  explicit ForwardingDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  const DeviceInfo &info() const override { return device_->info(); }
  Buffer allocate(std::uint64_t bytes, const char *purpose) override {
    return device_->allocate(bytes, purpose);
  }
  Buffer share(const void *from, std::uint64_t bytes, const char *purpose) override {
    return device_->share(from, bytes, purpose);
  }
  std::uint64_t allocated_bytes() const override { return device_->allocated_bytes(); }
  std::uint64_t peak_allocated_bytes() const override { return device_->peak_allocated_bytes(); }
  void write(const Buffer &to, const void *from, std::uint64_t bytes,
             std::uint64_t offset = 0) override {
    device_->write(to, from, bytes, offset);
  }
  void read(const Buffer &from, void *to, std::uint64_t bytes, std::uint64_t offset = 0) override {
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
  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes,
            std::uint64_t from_offset = 0, std::uint64_t to_offset = 0) override {
    device_->copy(from, to, bytes, from_offset, to_offset);
  }
  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset = 0) override {
    device_->fill_zero(buffer, bytes, offset);
  }
  Program build(const ProgramSource &source) override { return device_->build(source); }
  void launch(const Program &program, const std::string &kernel, Launch size,
              const std::vector<KernelArgument> &arguments) override {
    device_->launch(program, kernel, size, arguments);
  }
  void load(const Program &program, const std::string &kernel, Launch size) override {
    device_->load(program, kernel, size);
  }
  bool records() const override { return device_->records(); }
  Recording record(const std::function<void()> &work) override { return device_->record(work); }
  void replay(const Recording &recording) override { device_->replay(recording); }
  std::optional<LaunchUse> launch_use(const Program &program, const std::string &kernel,
                                      Launch size,
                                      const std::vector<KernelArgument> &arguments) override {
    return device_->launch_use(program, kernel, size, arguments);
  }
  void finish() override { device_->finish(); }
  void keep_kernels() override { device_->keep_kernels(); }
  void enter_stage(const std::string &name) override { device_->enter_stage(name); }
  void leave_stage() override { device_->leave_stage(); }
  bool counts_work() const override { return device_->counts_work(); }
  void count(const KernelCost &cost) override { device_->count(cost); }
  std::shared_ptr<const void> keep_threads_apart() override {
    return device_->keep_threads_apart();
  }

private:
  std::unique_ptr<Device> device_;
};

} // namespace weft
