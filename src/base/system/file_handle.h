// An open file of the system, closed with its owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/host_array.h"

namespace weft {

class FileHandle {
public:
  FileHandle() = default;
  // Takes a descriptor over; -1: none.
  explicit FileHandle(int number) : number_(number) {}
  FileHandle(FileHandle &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileHandle &operator=(FileHandle &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileHandle() { close(); }

  bool valid() const { return number_ >= 0; }
  int number() const { return number_; }
  // False, with errno, where the system finds only now that what was written has no place.
  bool close();

  // From the present place to the end, which may be elsewhere than `expected_bytes` says: /proc has
  // files of size 0. False, with errno, where reading fails; no more than `max_bytes` are taken.
  bool read_all(HostArray<char> &bytes, std::uint64_t expected_bytes,
                std::uint64_t max_bytes = UINT64_MAX) const;
  // False, with errno, where not all of it could be written.
  bool write_all(std::string_view bytes) const;

private:
  // On all threads, as many bytes as come in whole chunks; read_all() goes on behind them.
  std::size_t read_chunks(HostArray<char> &bytes) const;

  int number_ = -1;
};

} // namespace weft
