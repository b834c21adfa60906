#include "base/system/file_handle.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>
#include <vector>

#include "base/parallel.h"

namespace weft {

bool FileHandle::close() {
  return number_ < 0 || ::close(std::exchange(number_, -1)) == 0;
}

std::size_t FileHandle::read_chunks(HostArray<char> &bytes) const {
  constexpr std::int64_t chunk = 8 << 20;
  const off_t from = ::lseek(number_, 0, SEEK_CUR);
  const auto chunks = from < 0 ? 0 : static_cast<std::int64_t>(bytes.size()) / chunk;
  std::vector<std::uint8_t> whole(chunks, 0);
  parallel_chunks(chunks * chunk, chunk, [&](std::int64_t begin, std::int64_t, int) {
    const ssize_t got = ::pread(number_, bytes.data() + begin, chunk, from + begin);
    whole[begin / chunk] = got == chunk ? 1 : 0;
  });
  const std::int64_t taken = chunk * (std::find(whole.begin(), whole.end(), 0) - whole.begin());
  return taken > 0 && ::lseek(number_, from + taken, SEEK_SET) < 0 ? 0 : taken;
}

bool FileHandle::read_all(HostArray<char> &bytes, std::uint64_t expected_bytes,
                          std::uint64_t max_bytes) const {
  bytes.resize(std::min(expected_bytes + 1, max_bytes)); // one more, to see the end
  std::size_t taken = read_chunks(bytes);
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
