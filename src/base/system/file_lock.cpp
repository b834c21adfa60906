#include "base/system/file_lock.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace weft {

FileLock::FileLock(const std::filesystem::path &path, int timeout_ms) {
  using clock = std::chrono::steady_clock;
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    return;
  const auto deadline = clock::now() + std::chrono::milliseconds(timeout_ms);
  while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return;
    if (clock::now() > deadline) {
      timed_out_ = true;
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

FileLock::~FileLock() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

} // namespace weft
