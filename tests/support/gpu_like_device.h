// A device whose kernels are launched as those of a GPU.
#pragma once

#include <vector>

#include "device/device.h"

namespace weft::test {

// The same device, said to be no CPU: kernels get work-groups of many items and scalar lanes,
// and the host does not see its memory.
class GpuLikeDevice : public Device {
public:
  explicit GpuLikeDevice(Device &base) : base_(base), info_(base.info()) { info_.is_cpu = false; }
  const DeviceInfo &info() const override { return info_; }
  Buffer allocate(std::uint64_t bytes, const char *purpose) override {
    return base_.allocate(bytes, purpose);
  }
  std::uint64_t allocated_bytes() const override { return base_.allocated_bytes(); }
  std::uint64_t peak_allocated_bytes() const override { return base_.peak_allocated_bytes(); }
  void write(const Buffer &to, const void *from, std::uint64_t bytes,
             std::uint64_t offset) override {
    base_.write(to, from, bytes, offset);
  }
  void read(const Buffer &from, void *to, std::uint64_t bytes, std::uint64_t offset) override {
    base_.read(from, to, bytes, offset);
  }
  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes, std::uint64_t from_offset,
            std::uint64_t to_offset) override {
    base_.copy(from, to, bytes, from_offset, to_offset);
  }
  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) override {
    base_.fill_zero(buffer, bytes, offset);
  }
  Program build(const ProgramSource &source) override { return base_.build(source); }
  void launch(const Program &program, const std::string &kernel, Launch size,
              const std::vector<KernelArgument> &arguments) override {
    base_.launch(program, kernel, size, arguments);
  }
  void finish() override { base_.finish(); }

private:
  Device &base_;
  DeviceInfo info_;
};

} // namespace weft::test
