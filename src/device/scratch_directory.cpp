#include "device/scratch_directory.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "device/binary_cache.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

fs::path scratch; // of this process

void remove_scratch() {
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Directories are called weft.HOST.PID.RANDOM.
std::string prefix() {
  return "weft." + host_name() + ".";
}

// On this host, a process that does not run has left its own. A day's grace, for process numbers
// differ between containers.
void remove_abandoned(const fs::path &parent) {
  const auto a_day_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix()) || entry.last_write_time(error) > a_day_ago)
      continue;
    const int process = std::atoi(name.c_str() + prefix().size());
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH)
      fs::remove_all(entry.path(), error);
  }
}

std::string make_unique_directory(const fs::path &parent) {
  std::error_code error;
  fs::create_directories(parent, error);
  std::string path = (parent / (prefix() + std::to_string(getpid()) + ".XXXXXX")).string();
  return mkdtemp(path.data()) ? path : "";
}

// A file system in memory from which code may be loaded, with room to spare; else none. PoCL waits
// for the disk after each file it unpacks, and there are two for each kernel.
bool is_in_memory(const fs::path &parent) {
  constexpr double room = 256e6;
  struct statvfs info = {};
  return statvfs(parent.c_str(), &info) == 0 && !(info.f_flag & (ST_NOEXEC | ST_RDONLY)) &&
         static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) > room &&
         access(parent.c_str(), W_OK | X_OK) == 0;
}

} // namespace

fs::path make_scratch_directory() {
  const fs::path memory = "/dev/shm";
  const fs::path parent = is_in_memory(memory) ? memory : cache_directory() / "scratch";
  remove_abandoned(parent);
  std::string path = make_unique_directory(parent);
  if (path.empty()) // the home directory may be read-only
    path = make_unique_directory(fs::temp_directory_path());
  if (path.empty())
    throw Error(ErrorKind::system,
                {.what = "cannot make a directory for compiled kernels",
                 .where = parent.string(),
                 .remedy = "let XDG_CACHE_HOME or TMPDIR name a directory that can be written"});
  scratch = path;
  // Handlers run in reverse: the driver, opened later, is done with its files by then.
  std::atexit(remove_scratch);
  return scratch;
}

} // namespace weft
