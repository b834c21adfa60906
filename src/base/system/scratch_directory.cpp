#include "base/system/scratch_directory.h"

#include <algorithm>
#include <sys/statvfs.h>
#include <unistd.h>
#include <vector>

#include "base/error.h"
#include "base/system/compile_room.h"
#include "base/system/run_folder.h"
#include "base/system/user_folders.h"

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
  std::vector<fs::path> places = {cache_folder("scratch"), fs::temp_directory_path()};
  if (is_in_memory(memory))
    places.insert(places.begin(), memory);
  // Where none has room the first is taken, and what is missing there is said before kernels are
  // compiled.
  std::stable_partition(places.begin(), places.end(), has_room_for_kernels);
  fs::path path;
  for (std::size_t i = 0; i < places.size() && path.empty(); ++i) // some may be read-only
    path = make_run_folder(places[i]);
  if (path.empty())
    throw Error(ErrorKind::system,
                {.what = "cannot make a directory for compiled kernels",
                 .where = places.front().string(),
                 .remedy = "let XDG_CACHE_HOME or TMPDIR name a directory that can be written"});
  return path;
}

} // namespace weft
