// A device for tests of generated texts: memory is the host's, programs are built by the test and
// never run.
#pragma once

#include <memory>
#include <utility>

#include "device/host/host_device.h"

namespace weft {

// `info` stands for the device whose texts are wanted. Tests override build().
class BuildOnlyDevice : public Device {
public:
  explicit BuildOnlyDevice(DeviceInfo info) : info_(std::move(info)) {}
  const DeviceInfo &info() const override { return info_; }
  Buffer allocate(std::uint64_t bytes, const char *purpose) override {
    return memory_->allocate(bytes, purpose);
  }
  std::uint64_t allocated_bytes() const override { return memory_->allocated_bytes(); }
  std::uint64_t peak_allocated_bytes() const override { return memory_->peak_allocated_bytes(); }
  void write(const Buffer &to, const void *from, std::uint64_t bytes,
             std::uint64_t offset) override {
    memory_->write(to, from, bytes, offset);
  }
  void read(const Buffer &from, void *to, std::uint64_t bytes, std::uint64_t offset) override {
    memory_->read(from, to, bytes, offset);
  }
  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes, std::uint64_t from_offset,
            std::uint64_t to_offset) override {
    memory_->copy(from, to, bytes, from_offset, to_offset);
  }
  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) override {
    memory_->fill_zero(buffer, bytes, offset);
  }
  Program build(const ProgramSource &) override { return {}; }
  void launch(const Program &, const std::string &, Launch,
              const std::vector<KernelArgument> &) override {}
  void finish() override {}

private:
  std::unique_ptr<Device> memory_ = open_host_device();
  DeviceInfo info_;
};

} // namespace weft
