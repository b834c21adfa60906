// Files that are made once and kept between runs. Any number of processes use a folder of them at
// once without locks: an entry is written beside and renamed, carries a checksum, and one that is
// damaged, or not this user's own, counts as absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host_array.h"

namespace weft {

struct CacheEntry {
  std::filesystem::path path;
  std::string name;
  std::uint64_t bytes = 0;
  std::filesystem::file_time_type used; // last time it was stored or loaded
};

// What tells one kind of entries from others.
struct CacheKind {
  std::filesystem::path folder;
  std::string extension;         // ".bin"
  std::string before, after;     // what stands before and after the checksum, at the file's start
  std::uint64_t limit_bytes = 0; // of all entries together
};

class FileCache {
public:
  // Entries beyond the limit are removed, the longest unused first; what is larger than it by
  // itself is not kept.
  explicit FileCache(CacheKind kind) : kind_(std::move(kind)) {}

  // `name` makes the file recognisable; `key` is a hash over everything the content depends on.
  // An entry that is not as it was stored is removed.
  std::optional<std::string> load(const std::string &name, const std::string &key) const;
  // The same for long ones: all bytes of the file, the content after the first `head_bytes()`.
  std::optional<HostArray<char>> load_file(const std::string &name, const std::string &key) const;
  std::size_t head_bytes() const;
  // A folder that cannot be written costs time on the next run and nothing else: no error.
  void store(const std::string &name, const std::string &key, std::string_view content);

  std::filesystem::path path_of(const std::string &name, const std::string &key) const;
  std::vector<CacheEntry> entries() const; // longest unused first
  // Removes all entries; returns how many bytes they had.
  std::uint64_t clear();

private:
  bool is_whole(std::string_view file) const;
  void trim();

  CacheKind kind_;
  std::uint64_t stored_since_trim_ = 0;
  bool trimmed_ = false;
};

} // namespace weft
