#include "output/atomic_file.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/error.h"

namespace weft {

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), part_(fmt::format("{}.{}.part", path_, getpid())) {
  const auto folder = std::filesystem::path(path_).parent_path();
  std::error_code failure;
  if (!folder.empty())
    std::filesystem::create_directories(folder, failure);
  if (failure)
    fail("the output folder cannot be made", failure.value());
  descriptor_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    fail("an output file cannot be made", errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0)
    return;
  close(descriptor_);
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
    if (written <= 0)
      fail("an output file cannot be written", written < 0 ? errno : ENOSPC);
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  const int descriptor = std::exchange(descriptor_, -1);
  const bool closed = close(descriptor) == 0;
  if (!closed || std::rename(part_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    unlink(part_.c_str());
    fail("an output file cannot be put in its place", reason);
  }
}

void AtomicFile::commit_synced() {
  if (fsync(descriptor_) != 0)
    fail("an output file cannot be written", errno);
  commit();
  const auto parent = std::filesystem::path(path_).parent_path();
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
  const std::filesystem::path place(path);
  const std::string start = place.filename().string() + ".", end = ".part";
  std::error_code ignored;
  for (const auto &entry : std::filesystem::directory_iterator(
           place.has_parent_path() ? place.parent_path() : ".", ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start) || !name.ends_with(end) ||
        name.size() <= start.size() + end.size())
      continue;
    const std::string digits = name.substr(start.size(), name.size() - start.size() - end.size());
    if (digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
      continue;
    const auto process = static_cast<pid_t>(std::stol(digits));
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH)
      std::filesystem::remove(entry.path(), ignored);
  }
}

void write_text_file(const std::string &path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

} // namespace weft
