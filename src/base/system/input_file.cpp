#include "base/system/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system/file_handle.h"

namespace weft {

namespace {

[[noreturn]] void refuse(const std::string &path, const InputFileWords &words,
                         const char *complaint, const std::string &found) {
  const bool named = !words.where.empty();
  throw Error(ErrorKind::input, {.what = fmt::format("the {} {}", words.what, complaint),
                                 .where = named ? words.where : path,
                                 .found = named ? fmt::format("{} ({})", path, found) : found,
                                 .allowed = words.allowed,
                                 .remedy = words.remedy});
}

const char *kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR:
    return "a folder";
  case S_IFIFO:
    return "a pipe";
  case S_IFSOCK:
    return "a socket";
  default:
    return "a device";
  }
}

struct Opened {
  FileHandle file;
  std::uint64_t bytes = 0;
};

// Opening does not wait for the other end of a pipe.
Opened open_input(const std::string &path, const InputFileWords &words) {
  Opened opened{FileHandle(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY))};
  struct stat status = {};
  if (!opened.file.valid() || ::fstat(opened.file.number(), &status) != 0) {
    const int reason = errno;
    const bool missing = reason == ENOENT || reason == ENOTDIR;
    if (reason == ENXIO) // a socket, or a device without its driver
      refuse(path, words, "is not a file", "a socket or a device");
    refuse(path, words, missing ? "does not exist" : "cannot be read", std::strerror(reason));
  }
  if (!S_ISREG(status.st_mode))
    refuse(path, words, "is not a file", kind_of(status.st_mode));
  opened.bytes = static_cast<std::uint64_t>(status.st_size);
  if (opened.bytes > words.max_bytes)
    throw Error(ErrorKind::input, {.what = fmt::format("the {} is too large", words.what),
                                   .where = path,
                                   .found = fmt::format("{} bytes", opened.bytes),
                                   .allowed = fmt::format("at most {} bytes", words.max_bytes)});
  return opened;
}

} // namespace

HostArray<char> read_input_file(const std::string &path, const InputFileWords &words) {
  const Opened opened = open_input(path, words);
  HostArray<char> bytes;
  if (!opened.file.read_all(bytes, opened.bytes, words.max_bytes))
    refuse(path, words, "cannot be read", std::strerror(errno));
  return bytes;
}

std::string read_input_text(const std::string &path, const InputFileWords &words) {
  const HostArray<char> bytes = read_input_file(path, words);
  return {bytes.data(), bytes.size()};
}

void require_input_file(const std::string &path, const InputFileWords &words) {
  open_input(path, words);
}

} // namespace weft
