// The bytes of a Gmsh file as a sequence of numbers and lines, ASCII or binary alike, with the
// place of the reading for error messages.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/host_array.h"

namespace weft {

class GmshSource {
public:
  // Reads the whole file. Throws an input error if it cannot be read.
  explicit GmshSource(const std::string &path);
  // Takes the bytes of the file at that path over, to be read from the one numbered `begin`.
  GmshSource(std::string path, HostArray<char> bytes, std::size_t begin);

  const std::string &path() const { return path_; }
  bool binary() const { return binary_; }
  void set_binary(bool binary) { binary_ = binary; }

  // The next number: in ASCII any integer, in binary one of 4 or of 8 bytes. Throws an input error
  // where the file ends or holds something else; `what` names the number for that message.
  std::int64_t int32(const char *what) {
    return binary_ ? raw<std::int32_t>(what) : ascii<std::int64_t>(what);
  }
  std::int64_t int64(const char *what) {
    return binary_ ? raw<std::int64_t>(what) : ascii<std::int64_t>(what);
  }
  double real(const char *what) { return binary_ ? raw<double>(what) : ascii<double>(what); }

  // Checks a count against what the rest of the file can hold, each item taking at least
  // `binary_bytes` in binary and `ascii_numbers` numbers in ASCII; throws an input error otherwise.
  std::int64_t checked_count(std::int64_t count, std::int64_t binary_bytes,
                             std::int64_t ascii_numbers, const char *what) const;

  // The next bytes in binary, fewer at the end of the file; skip() moves behind as many.
  std::string_view peek_bytes(std::size_t bytes) const {
    return {bytes_.data() + position_, std::min(bytes, size_ - position_)};
  }
  void skip(std::size_t bytes) { position_ += bytes; }

  // The rest of the current line; an empty view at the end of the file.
  std::string_view peek_line() const;
  // The same, and moves to the next line.
  std::string_view line();
  // Passes over the next line if it starts with that text.
  void skip_line_starting_with(std::string_view text);
  bool at_end() const { return position_ >= size_; }
  // Moves to the next line that starts with `$` and gives its word without the `$`; empty at the
  // end of the file.
  std::string next_section();
  // Moves behind the line `$End<section>`; throws an input error if anything else comes first.
  void end_section(const std::string &section);
  // The same, passing over whatever comes before.
  void skip_section(const std::string &section);

  // "file:line" in ASCII, "file, byte N" in binary.
  std::string where() const;
  [[noreturn]] void fail(const std::string &what, const std::string &found,
                         const std::string &allowed) const;
  [[noreturn]] void fail_number(const char *what) const;

private:
  template <typename T> T raw(const char *what) {
    if (size_ - position_ < sizeof(T))
      fail_number(what);
    T value;
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }
  template <typename T> T ascii(const char *what) {
    skip_space();
    T value{};
    const char *begin = bytes_.data() + position_;
    const auto result = std::from_chars(begin, bytes_.data() + size_, value);
    if (result.ec != std::errc())
      fail_number(what);
    position_ += static_cast<std::size_t>(result.ptr - begin);
    return value;
  }
  void skip_space() {
    while (position_ < size_ && static_cast<unsigned char>(bytes_[position_]) <= ' ')
      ++position_;
  }
  std::string next_word() const;

  std::string path_;
  HostArray<char> bytes_;
  std::size_t size_ = 0;
  std::size_t position_ = 0;
  bool binary_ = false;
};

} // namespace weft
