#include "base/system/run_folder.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system/file_handle.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// Those of this process. While it runs, it holds a lock on each. What it forks leaves them alone.
struct RunFolders {
  std::mutex mutex;
  pid_t owner = ::getpid();
  std::map<fs::path, FileHandle> locks;
};

// Never destroyed: folders are removed at exit, after static objects may be gone.
RunFolders &run_folders() {
  static RunFolders &instance = *new RunFolders;
  return instance;
}

// Folders are called weft.run.PID.RANDOM, and each has been locked since it was made.
constexpr std::string_view run_folder_prefix = "weft.run.";

FileHandle open_folder(const fs::path &path) {
  return FileHandle(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

enum class Lock { taken, held_by_another, not_offered };

Lock try_lock(const FileHandle &folder) {
  if (::flock(folder.number(), LOCK_EX | LOCK_NB) == 0)
    return Lock::taken;
  return errno == EWOULDBLOCK ? Lock::held_by_another : Lock::not_offered;
}

bool is_removed(const FileHandle &folder) {
  struct stat status = {};
  return ::fstat(folder.number(), &status) == 0 && status.st_nlink == 0;
}

// Whether the process that made it is gone. The lock tells, for a number may be that of another
// process by now, or of another container's; where a file system has no locks, the number tells,
// and a folder gets a day's grace.
bool is_abandoned(const fs::directory_entry &entry, const FileHandle &folder, int process) {
  struct stat status = {};
  if (process <= 0 || !folder.valid() || ::fstat(folder.number(), &status) != 0 ||
      status.st_uid != ::geteuid())
    return false;
  const Lock lock = try_lock(folder);
  if (lock != Lock::not_offered)
    return lock == Lock::taken;
  std::error_code error;
  const auto age = fs::file_time_type::clock::now() - entry.last_write_time(error);
  return ::kill(process, 0) != 0 && errno == ESRCH && age > std::chrono::hours(24);
}

void remove_abandoned(const fs::path &parent) {
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(run_folder_prefix))
      continue;
    const FileHandle folder = open_folder(entry.path());
    if (is_abandoned(entry, folder, std::atoi(name.c_str() + run_folder_prefix.size())))
      fs::remove_all(entry.path(), error);
  }
}

} // namespace

fs::path make_run_folder(const fs::path &parent) {
  std::error_code error;
  fs::create_directories(parent, error);
  remove_abandoned(parent);
  RunFolders &all = run_folders();
  const std::lock_guard guard(all.mutex);
  static const bool at_exit = std::atexit(remove_run_folders) == 0;
  (void)at_exit;
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::string path = (parent / fmt::format("{}{}.XXXXXX", run_folder_prefix, getpid())).string();
    if (!::mkdtemp(path.data()))
      return {};
    FileHandle folder = open_folder(path);
    // A process of another container may have taken it for abandoned before the lock was there.
    if (!folder.valid() || try_lock(folder) == Lock::held_by_another || is_removed(folder))
      continue;
    all.locks.emplace(path, std::move(folder));
    return path;
  }
  return {};
}

void remove_run_folder(const fs::path &folder) {
  RunFolders &all = run_folders();
  const std::lock_guard guard(all.mutex);
  std::error_code ignored;
  if (all.locks.count(folder) > 0)
    fs::remove_all(folder, ignored);
  all.locks.erase(folder);
}

void remove_run_folders() {
  RunFolders &all = run_folders();
  const std::lock_guard guard(all.mutex);
  std::error_code ignored;
  if (all.owner == ::getpid())
    for (const auto &[path, lock] : all.locks)
      fs::remove_all(path, ignored);
  all.locks.clear();
}

RunFolder::RunFolder(const fs::path &parent) : path_(make_run_folder(parent)) {
  if (path_.empty())
    throw Error(ErrorKind::system,
                {.what = "a folder for temporary files cannot be made",
                 .where = parent.string(),
                 .remedy = "let XDG_CACHE_HOME or TMPDIR name a folder that can be written"});
}

} // namespace weft
