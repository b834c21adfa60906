// A device that records work as a GPU does, by a list of what was asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/forwarding_device.h"

namespace weft::test {

class RecordingDevice : public ForwardingDevice {
public:
  using ForwardingDevice::ForwardingDevice;

  int num_recorded = 0, num_replayed = 0, num_launched = 0;
  bool may_record = true;

  bool records() const override { return may_record && !list_; }
  Recording record(const std::function<void()> &work) override {
    const auto list = std::make_shared<List>();
    list_ = list.get();
    try {
      work();
    } catch (const Waits &) {
      list_ = nullptr;
      return nullptr;
    } catch (...) {
      list_ = nullptr;
      throw;
    }
    list_ = nullptr;
    ++num_recorded;
    return list;
  }
  void replay(const Recording &recording) override {
    ++num_replayed;
    for (const auto &work : static_cast<List &>(*recording).works)
      work();
  }

  void launch(const Program &program, const std::string &kernel, Launch size,
              const std::vector<KernelArgument> &arguments) override {
    num_launched += list_ ? 0 : 1;
    later([=, this] { ForwardingDevice::launch(program, kernel, size, arguments); });
  }
  void copy(const Buffer &from, const Buffer &to, std::uint64_t bytes, std::uint64_t from_offset,
            std::uint64_t to_offset) override {
    later([=, this] { ForwardingDevice::copy(from, to, bytes, from_offset, to_offset); });
  }
  void fill_zero(const Buffer &buffer, std::uint64_t bytes, std::uint64_t offset) override {
    later([=, this] { ForwardingDevice::fill_zero(buffer, bytes, offset); });
  }
  void write(const Buffer &to, const void *from, std::uint64_t bytes,
             std::uint64_t offset) override {
    refuse_in_recording();
    ForwardingDevice::write(to, from, bytes, offset);
  }
  void read(const Buffer &from, void *to, std::uint64_t bytes, std::uint64_t offset) override {
    refuse_in_recording();
    ForwardingDevice::read(from, to, bytes, offset);
  }
  void finish() override {
    refuse_in_recording();
    ForwardingDevice::finish();
  }

private:
  struct List : RecordingImpl {
    std::vector<std::function<void()>> works;
  };
  struct Waits {};

  void later(std::function<void()> work) {
    if (list_)
      list_->works.push_back(std::move(work));
    else
      work();
  }
  void refuse_in_recording() const {
    if (list_)
      throw Waits{};
  }

  List *list_ = nullptr; // of the recording under way
};

} // namespace weft::test
