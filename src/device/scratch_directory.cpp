#include "device/scratch_directory.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/run_folder.h"
#include "base/user_folders.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

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
  const fs::path parent = is_in_memory(memory) ? memory : cache_folder("scratch");
  fs::path path = make_run_folder(parent);
  if (path.empty()) // the home directory may be read-only
    path = make_run_folder(fs::temp_directory_path());
  if (path.empty())
    throw Error(ErrorKind::system,
                {.what = "cannot make a directory for compiled kernels",
                 .where = parent.string(),
                 .remedy = "let XDG_CACHE_HOME or TMPDIR name a directory that can be written"});
  return path;
}

} // namespace weft
