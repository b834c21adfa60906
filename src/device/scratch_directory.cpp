#include "device/scratch_directory.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
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

// Directories are called HOST.PID.RANDOM: on this host, a process that does not run has left its
// own. A day's grace, for process numbers differ between containers.
void remove_abandoned(const fs::path &parent) {
  const std::string prefix = host_name() + ".";
  const auto a_day_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || entry.last_write_time(error) > a_day_ago)
      continue;
    const int process = std::atoi(name.c_str() + prefix.size());
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH)
      fs::remove_all(entry.path(), error);
  }
}

std::string make_unique_directory(const fs::path &parent) {
  std::error_code error;
  fs::create_directories(parent, error);
  std::string path = (parent / (host_name() + "." + std::to_string(getpid()) + ".XXXXXX")).string();
  return mkdtemp(path.data()) ? path : "";
}

} // namespace

fs::path make_scratch_directory() {
  const fs::path parent = cache_directory() / "scratch";
  remove_abandoned(parent);
  std::string path = make_unique_directory(parent);
  if (path.empty()) // the home directory is read-only
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
