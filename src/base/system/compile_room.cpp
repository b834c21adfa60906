#include "base/system/compile_room.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t megabyte = 1 << 20;

// PoCL 3.1 with LLVM 14 took 530 MB of address space when it was loaded, 320 MB more for the
// largest of our kernels, and 160 MB of memory in all.
constexpr std::uint64_t driver_bytes = 1024 * megabyte;
constexpr std::uint64_t compiler_bytes = 512 * megabyte;
constexpr std::uint64_t resident_bytes = 192 * megabyte;
constexpr std::uint64_t scratch_bytes = 32 * megabyte;
// The largest file that PoCL writes is the bitcode of a program: up to 0.5 MB for our kernels.
constexpr std::uint64_t file_bytes = 2 * megabyte;

void lower(Room &room, std::uint64_t bytes, const char *by) {
  if (bytes < room.bytes)
    room = {bytes, by};
}

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

// A number of bytes after `key` in a file of the system's; `otherwise` where there is none.
std::uint64_t value_in(const char *file, const std::string &key, std::uint64_t unit,
                       std::uint64_t otherwise) {
  std::ifstream in(file);
  for (std::string word; in >> word;)
    if (std::uint64_t value = 0; word == key && in >> value)
      return value * unit;
  return otherwise;
}

std::uint64_t number_in(const char *file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  return in >> value ? value : no_limit; // "max" is none
}

// What the process's own limits leave.
Room address_space_left() {
  Room room{no_limit, ""};
  const auto limit_by = [&](int resource, const char *used, const char *by) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      lower(room, difference(limit.rlim_cur, value_in("/proc/self/status", used, 1024, 0)), by);
  };
  limit_by(RLIMIT_AS, "VmSize:", "the limit of address space (ulimit -v)");
  limit_by(RLIMIT_DATA, "VmData:", "the limit of data (ulimit -d)");
  return room;
}

// What its control group and the machine leave.
Room resident_left() {
  Room room{no_limit, ""};
  const std::uint64_t available = value_in("/proc/meminfo", "MemAvailable:", 1024, no_limit);
  if (available != no_limit)
    lower(room, available + value_in("/proc/meminfo", "SwapFree:", 1024, 0),
          "the memory of this machine");
  const std::uint64_t most = number_in("/sys/fs/cgroup/memory.max");
  const std::uint64_t used = number_in("/sys/fs/cgroup/memory.current");
  if (most != no_limit && used != no_limit) {
    // Pages of files are given back when they are needed.
    const std::uint64_t files = value_in("/sys/fs/cgroup/memory.stat", "inactive_file", 1, 0);
    lower(room, difference(most, difference(used, files)),
          "the memory of this container or control group");
  }
  return room;
}

// What the process's own limit allows.
Room largest_file() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    return {limit.rlim_cur, "the limit of a file's size (ulimit -f)"};
  return {no_limit, ""};
}

void require_room(const char *what, const Room &room, std::uint64_t needed,
                  const std::string &where, const char *remedy) {
  if (room.bytes >= needed)
    return;
  throw Error(ErrorKind::system,
              {.what = what,
               .where = where,
               .found = fmt::format("{} MB left by {}", room.bytes / megabyte, room.by),
               .allowed = fmt::format("{} MB or more", needed / megabyte),
               .remedy = remedy});
}

void require_all(std::uint64_t address_space, const fs::path &scratch) {
  constexpr const char *no_memory = "not enough memory to compile kernels";
  constexpr const char *free_memory = "raise that limit, or end other programs";
  require_room(no_memory, address_space_left(), address_space, "", free_memory);
  require_room(no_memory, resident_left(), resident_bytes, "", free_memory);
  constexpr const char *no_files = "not enough room for the files of compiled kernels";
  require_room(no_files, largest_file(), file_bytes, scratch.string(), "raise that limit");
  require_room(no_files, disk_left(scratch), scratch_bytes, scratch.string(),
               "free some, or let XDG_CACHE_HOME, POCL_CACHE_DIR or TMPDIR name "
               "a folder with room");
}

} // namespace

Room disk_left(const fs::path &folder) {
  Room room{no_limit, ""};
  std::error_code failure;
  fs::path there = folder.empty() ? fs::path(".") : folder;
  while (!fs::exists(there, failure) && there.has_parent_path() && there != there.parent_path())
    there = there.parent_path();
  struct statvfs info = {};
  if (statvfs(there.c_str(), &info) == 0 && info.f_blocks > 0) // some file systems do not count
    lower(room, static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize, "this file system");
  return room;
}

bool has_room_for_kernels(const fs::path &folder) {
  return disk_left(folder).bytes >= scratch_bytes;
}

void require_room_for_driver(const fs::path &scratch) {
  require_all(driver_bytes, scratch);
}

void require_room_to_compile(const fs::path &scratch) {
  require_all(compiler_bytes, scratch);
}

} // namespace weft
