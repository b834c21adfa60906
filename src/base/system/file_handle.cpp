#include "base/system/file_handle.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace weft {

bool FileHandle::close() {
  return number_ < 0 || ::close(std::exchange(number_, -1)) == 0;
}

bool FileHandle::read_all(HostArray<char> &bytes, std::uint64_t expected_bytes,
                          std::uint64_t max_bytes) const {
  bytes.resize(std::min(expected_bytes + 1, max_bytes)); // one more, to see the end
  std::size_t taken = 0;
  while (taken < max_bytes) {
    if (taken == bytes.size())
      bytes.resize(std::min<std::uint64_t>(2 * taken, max_bytes));
    const ssize_t got = ::read(number_, bytes.data() + taken, bytes.size() - taken);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return false;
    if (got == 0)
      break;
    taken += static_cast<std::size_t>(got);
  }
  bytes.resize(taken);
  return true;
}

bool FileHandle::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = ::write(number_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

} // namespace weft
