#include "base/system/atomic_file.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40; // as Linux follows

struct Target {
  std::string path;    // no link; it need not be there
  int descriptor = -1; // of this process, where the path is another name of it (/dev/stdout)
};

// The number of a descriptor of this process that `place` is the name of; -1: it is something else.
int descriptor_of(const fs::path &place) {
  const std::string name = place.filename().string();
  if (name.empty() || name.size() > 9 || name.find_first_not_of("0123456789") != std::string::npos)
    return -1;
  std::error_code failure;
  const fs::path folder = fs::canonical(place.parent_path(), failure);
  return !failure && folder == fs::canonical("/proc/self/fd", failure) ? std::stoi(name) : -1;
}

// Where symbolic links lead to from `path`; empty with errno for a circle.
Target follow_links(const std::string &path) {
  fs::path place = path;
  for (int i = 0; i < most_links; ++i) {
    if (const int descriptor = descriptor_of(place); descriptor >= 0)
      return {place.string(), descriptor};
    std::error_code failure;
    const fs::path link = fs::read_symlink(place, failure);
    if (failure) // no link, or nothing there
      return {place.string()};
    place = place.parent_path() / link;
  }
  errno = ELOOP;
  return {};
}

bool is_written_through(mode_t mode) {
  return S_ISCHR(mode) || S_ISBLK(mode) || S_ISFIFO(mode) || S_ISSOCK(mode);
}

// What the process may not say of them stays as it is for new files.
void keep_owner_and_permissions(int descriptor, const struct stat &of) {
  if (fchown(descriptor, of.st_uid, of.st_gid) != 0 &&
      fchown(descriptor, static_cast<uid_t>(-1), of.st_gid) != 0)
    log::debug("an output file changes its owner");
  fchmod(descriptor, of.st_mode & 07777);
}

} // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  const Target target = follow_links(path_);
  target_ = target.path;
  if (target_.empty())
    fail("an output file cannot be made", errno);
  struct stat found = {};
  const bool there = stat(target_.c_str(), &found) == 0;
  if (target.descriptor >= 0) {
    std::fflush(nullptr); // what was printed there before stays before
    descriptor_ = fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0);
  } else if (there && is_written_through(found.st_mode)) {
    descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    open_part();
    if (there && descriptor_ >= 0)
      keep_owner_and_permissions(descriptor_, found);
  }
  if (descriptor_ < 0)
    fail("an output file cannot be made", errno);
}

void AtomicFile::open_part() {
  part_ = fmt::format("{}.{}.part", target_, getpid());
  const fs::path folder = fs::path(target_).parent_path();
  std::error_code failure;
  if (!folder.empty())
    fs::create_directories(folder, failure);
  if (failure)
    fail("the output folder cannot be made", failure.value());
  unlink(part_.c_str()); // of an earlier process of this number
  descriptor_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0)
    return;
  close(descriptor_);
  if (!part_.empty())
    unlink(part_.c_str());
}

void AtomicFile::write(const void *data, std::size_t bytes) {
  // Linux writes at most 2 GiB a call.
  constexpr std::size_t most = std::size_t{1} << 30;
  const char *next = static_cast<const char *>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, next, std::min(bytes, most));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0 && errno == EAGAIN) { // a full pipe whose other end does not wait
      pollfd output = {.fd = descriptor_, .events = POLLOUT, .revents = 0};
      poll(&output, 1, -1);
      continue;
    }
    if (written <= 0)
      fail("an output file cannot be written", written < 0 ? errno : ENOSPC);
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  const int descriptor = std::exchange(descriptor_, -1);
  const bool closed = close(descriptor) == 0;
  if (!closed || (!part_.empty() && std::rename(part_.c_str(), target_.c_str()) != 0)) {
    const int reason = errno;
    if (!part_.empty())
      unlink(part_.c_str());
    fail("an output file cannot be put in its place", reason);
  }
}

void AtomicFile::commit_synced() {
  // Pipes and some devices can't be synced.
  if (fsync(descriptor_) != 0 && !part_.empty())
    fail("an output file cannot be written", errno);
  commit();
  if (part_.empty())
    return;
  const fs::path parent = fs::path(target_).parent_path();
  const int folder =
      open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems cannot sync a folder; the file's own bytes are safe.
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
}

void AtomicFile::fail(const char *what, int reason) const {
  throw Error(ErrorKind::system,
              {.what = what,
               .where = path_,
               .found = std::generic_category().message(reason),
               .remedy = "choose another folder with --out or [output] directory"});
}

void remove_abandoned_parts(const std::string &path) {
  const fs::path place = follow_links(path).path;
  const std::string start = place.filename().string() + ".", end = ".part";
  std::error_code ignored;
  for (const auto &entry :
       fs::directory_iterator(place.has_parent_path() ? place.parent_path() : ".", ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start) || !name.ends_with(end) ||
        name.size() <= start.size() + end.size())
      continue;
    const std::string digits = name.substr(start.size(), name.size() - start.size() - end.size());
    if (digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
      continue;
    const auto process = static_cast<pid_t>(std::stol(digits));
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH)
      fs::remove(entry.path(), ignored);
  }
}

void write_text_file(const std::string &path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

} // namespace weft
