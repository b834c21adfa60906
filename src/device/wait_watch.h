// Waits for devices, watched by a thread of the host: a kernel that does not come back would hold
// the process for ever, and neither PoCL's threads nor a GPU's can be stopped.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace weft {

// Stands around a call that waits for a device. Waits of several threads at once count as one.
class DeviceWait {
public:
  DeviceWait();
  // Does not return once the wait is overdue: what WaitWatch calls has the process to itself.
  ~DeviceWait();
  DeviceWait(const DeviceWait &) = delete;
  DeviceWait &operator=(const DeviceWait &) = delete;

private:
  bool outermost_;
};

// While it lives, calls `overdue` once, from a thread of its own, when a single wait takes longer
// than `limit_s` seconds. The thread that waits changes nothing any more then, so that `overdue`
// may read what it left, and has to end the process (std::_Exit). One at a time.
class WaitWatch {
public:
  WaitWatch(double limit_s, std::function<void()> overdue);
  ~WaitWatch();
  WaitWatch(const WaitWatch &) = delete;
  WaitWatch &operator=(const WaitWatch &) = delete;

  double limit_s() const { return limit_s_; }

private:
  void watch();

  const double limit_s_;
  const std::function<void()> overdue_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool ended_ = false;
  std::thread thread_; // last: it uses the others
};

} // namespace weft
