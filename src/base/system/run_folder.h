// Folders that live as long as a run: no other user may enter them, they are removed at its end,
// and what processes that were killed left behind is removed by the next one.
#pragma once

#include <filesystem>

namespace weft {

// A new folder in `parent`, which is made if need be; empty where neither can be made. Thread-safe,
// as are the others.
std::filesystem::path make_run_folder(const std::filesystem::path &parent);

// Before the end of the run.
void remove_run_folder(const std::filesystem::path &folder);

// All of them; also called at exit.
void remove_run_folders();

// Removed with its owner.
class RunFolder {
public:
  // Throws a system error where no folder can be made there.
  explicit RunFolder(const std::filesystem::path &parent);
  ~RunFolder() { remove_run_folder(path_); }
  RunFolder(const RunFolder &) = delete;
  RunFolder &operator=(const RunFolder &) = delete;

  const std::filesystem::path &path() const { return path_; }
  std::filesystem::path operator/(const char *name) const { return path_ / name; }

private:
  std::filesystem::path path_;
};

} // namespace weft
