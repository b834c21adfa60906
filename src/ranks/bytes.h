// Values as bytes, from rank to rank: numbers, texts, pairs, arrays and maps, read in the order in
// which they were written. What visits the members of a thing writes it, or reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace weft {

class ByteWriter {
public:
  template <typename T> void operator()(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(&value, sizeof value);
  }
  void operator()(const std::string &text) { array(text); }
  template <typename T> void operator()(const std::vector<T> &values) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      array(values);
    } else {
      (*this)(static_cast<std::int64_t>(values.size()));
      for (const T &value : values)
        (*this)(value);
    }
  }
  template <typename First, typename Second>
  void operator()(const std::pair<First, Second> &value) {
    (*this)(value.first);
    (*this)(value.second);
  }
  template <typename Key, typename Value> void operator()(const std::map<Key, Value> &values) {
    (*this)(static_cast<std::int64_t>(values.size()));
    for (const auto &[key, value] : values) {
      (*this)(key);
      (*this)(value);
    }
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

private:
  template <typename Array> void array(const Array &values) {
    (*this)(static_cast<std::int64_t>(values.size()));
    add(values.data(), values.size() * sizeof(values[0]));
  }
  void add(const void *from, std::size_t count) {
    const auto *bytes = static_cast<const std::byte *>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + count);
  }
  std::vector<std::byte> bytes_;
};

class ByteReader {
public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename T> void operator()(T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    take(&value, sizeof value);
  }
  void operator()(std::string &text) { array(text); }
  template <typename T> void operator()(std::vector<T> &values) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      array(values);
    } else {
      values.resize(count());
      for (T &value : values)
        (*this)(value);
    }
  }
  template <typename First, typename Second> void operator()(std::pair<First, Second> &value) {
    (*this)(value.first);
    (*this)(value.second);
  }
  template <typename Key, typename Value> void operator()(std::map<Key, Value> &values) {
    for (std::int64_t left = count(); left > 0; --left) {
      Key key{};
      (*this)(key);
      (*this)(values[key]);
    }
  }
  bool at_end() const { return bytes_.empty(); }

private:
  std::int64_t count() {
    std::int64_t value = 0;
    (*this)(value);
    return value;
  }
  template <typename Array> void array(Array &values) {
    values.resize(count());
    take(values.data(), values.size() * sizeof(values[0]));
  }
  void take(void *to, std::size_t count) {
    require(count <= bytes_.size(), "bytes are all there");
    if (count > 0) // `to` may be null
      std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
  }
  std::span<const std::byte> bytes_;
};

} // namespace weft
