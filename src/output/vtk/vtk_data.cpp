#include "output/vtk/vtk_data.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <type_traits>
#include <zlib.h>

#include "base/printable.h"

namespace weft {

namespace {

constexpr std::string_view blanks = " \t\r\n";

// A byte that zlib has written gives 1032 at most.
constexpr std::uint64_t most_growth = 1032;

int digit_of_base64(char c) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t place = digits.find(c);
  return place == std::string_view::npos ? -1 : static_cast<int>(place);
}

// Bytes of an array, one part after the other. Parts may be encoded each for itself, or together.
class ByteStream {
public:
  ByteStream(std::string_view text, VtkEncoding encoding) : text_(text), encoding_(encoding) {}

  // None where there are not as many. They are there until the next call.
  std::optional<std::string_view> read(std::uint64_t count) {
    if (count > text_.size() - at_ + left_.size())
      return {};
    if (encoding_ == VtkEncoding::raw) {
      at_ += count;
      return text_.substr(at_ - count, count);
    }
    bytes_ = std::move(left_);
    left_.clear();
    while (bytes_.size() < count)
      if (!decode_four())
        return {};
    left_ = bytes_.substr(count);
    bytes_.resize(count);
    return bytes_;
  }

private:
  // Four digits are three bytes, or less at the end of what was encoded together.
  bool decode_four() {
    std::uint32_t bits = 0;
    int digits = 0, fill = 0;
    for (; digits < 4 && at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (blanks.find(c) != std::string_view::npos)
        continue;
      const int digit = c == '=' ? 0 : digit_of_base64(c);
      if (digit < 0 || (fill > 0 && c != '='))
        return false;
      fill += c == '=' ? 1 : 0;
      bits = bits << 6 | static_cast<std::uint32_t>(digit);
      ++digits;
    }
    if (digits < 4 || fill > 2)
      return false;
    for (int byte = 0; byte < 3 - fill; ++byte)
      bytes_ += static_cast<char>(bits >> (16 - 8 * byte) & 0xff);
    return true;
  }

  std::string_view text_;
  VtkEncoding encoding_;
  std::size_t at_ = 0;
  std::string bytes_, left_; // left: decoded beyond what was asked for
};

// The bytes of an array whose sizes stand before them.
class BytesOfArray {
public:
  BytesOfArray(const VtkData &array, const VtkFault &fail)
      : array_(array), fail_(fail), stream_(array.data, array.encoding) {}

  std::string_view read(std::uint64_t expected) {
    if (array_.compressed)
      return uncompressed(expected);
    if (size() != expected)
      fail_("another number of entries");
    return part(expected);
  }

private:
  std::string_view part(std::uint64_t count) {
    const std::optional<std::string_view> bytes = stream_.read(count);
    if (!bytes)
      fail_("the file ends");
    return *bytes;
  }

  std::uint64_t size() {
    if (!array_.wide_sizes) {
      std::uint32_t value = 0;
      std::memcpy(&value, part(sizeof value).data(), sizeof value);
      return value;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, part(sizeof value).data(), sizeof value);
    return value;
  }

  // Before the blocks stand their number, the length of all but the last, that of a last one that
  // is shorter, or 0, and how long each is as it lies there.
  std::string_view uncompressed(std::uint64_t expected) {
    const std::uint64_t num_blocks = size(), block = size(), last = size();
    const std::uint64_t data_bytes = array_.data.size();
    if (num_blocks > data_bytes || expected / most_growth > data_bytes)
      fail_("the file ends");
    // Divided, as products of what the file says could overflow.
    const std::uint64_t full = num_blocks - (num_blocks > 0 && last > 0 ? 1 : 0);
    if (last > expected || (full > 0 && block > expected / full) ||
        (num_blocks > 0 ? full * block + last : 0) != expected)
      fail_("another number of entries");
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t b = 0; b < num_blocks; ++b)
      sizes.push_back(size());
    result_.resize(expected);
    std::uint64_t done = 0;
    for (std::uint64_t b = 0; b < num_blocks; ++b) {
      const std::uint64_t length = b + 1 == num_blocks && last > 0 ? last : block;
      const std::string_view packed = part(sizes[b]);
      uLongf unpacked = length;
      const int status = uncompress(reinterpret_cast<Bytef *>(result_.data() + done), &unpacked,
                                    reinterpret_cast<const Bytef *>(packed.data()), packed.size());
      if (status != Z_OK || unpacked != length)
        fail_("data that zlib does not read");
      done += length;
    }
    return result_;
  }

  const VtkData &array_;
  const VtkFault &fail_;
  ByteStream stream_;
  std::string result_;
};

template <typename To, typename From> std::vector<To> converted(std::string_view bytes) {
  std::vector<From> numbers(bytes.size() / sizeof(From));
  if (!numbers.empty())
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
  if constexpr (std::is_same_v<To, From>)
    return numbers;
  else
    return std::vector<To>(numbers.begin(), numbers.end());
}

template <typename To>
std::vector<To> numbers_in_text(std::string_view text, std::uint64_t count, const VtkFault &fail) {
  std::vector<To> numbers;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(blanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    To number{};
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, number);
    if (error != std::errc() || stop != text.data() + end)
      fail(fmt::format("the number \"{}\"",
                       shortened(printable_line(std::string(text.substr(at, end - at))), 40)));
    numbers.push_back(number);
    at = end;
  }
  if (numbers.size() != count)
    fail("another number of entries");
  return numbers;
}

template <typename To>
std::vector<To> numbers(const VtkData &array, std::uint64_t count, const VtkFault &fail) {
  if (array.encoding == VtkEncoding::text)
    return numbers_in_text<To>(array.data, count, fail);
  const auto as = [&]<typename From>(From) {
    if (count > array.data.size() * most_growth / sizeof(From) + most_growth)
      fail(array.compressed ? "the file ends" : "another number of entries");
    return converted<To, From>(BytesOfArray(array, fail).read(count * sizeof(From)));
  };
  const std::string &type = array.type;
  if constexpr (std::is_floating_point_v<To>) {
    if (type == "Float64")
      return as(double{});
    if (type == "Float32")
      return as(float{});
  }
  if (type == "Int64")
    return as(std::int64_t{});
  if (type == "UInt64")
    return as(std::uint64_t{});
  if (type == "Int32")
    return as(std::int32_t{});
  if (type == "UInt32")
    return as(std::uint32_t{});
  if (type == "Int16")
    return as(std::int16_t{});
  if (type == "UInt16")
    return as(std::uint16_t{});
  if (type == "Int8")
    return as(std::int8_t{});
  if (type == "UInt8")
    return as(std::uint8_t{});
  fail("the type " + shortened(printable_line(type), 20));
  return {};
}

} // namespace

std::vector<double> vtk_reals(const VtkData &array, std::uint64_t count, const VtkFault &fail) {
  return numbers<double>(array, count, fail);
}

std::vector<std::int64_t> vtk_integers(const VtkData &array, std::uint64_t count,
                                       const VtkFault &fail) {
  return numbers<std::int64_t>(array, count, fail);
}

} // namespace weft
