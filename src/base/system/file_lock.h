// A lock that one process at a time holds, on a file beside what it protects. The system gives it
// back when the process ends, however it ends.
#pragma once

#include <filesystem>

namespace weft {

class FileLock {
public:
  // Waits for it. Where the file can't be made or its file system has no locks, there is none: who
  // can't make a file there can't rename one either.
  FileLock(const std::filesystem::path &path, int timeout_ms);
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

  bool timed_out() const { return timed_out_; }

private:
  int descriptor_ = -1;
  bool timed_out_ = false;
};

} // namespace weft
