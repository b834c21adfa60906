// Compiled kernels kept between runs. Any number of processes use the directory at once without
// locks: an entry is written beside and renamed, carries a checksum, and a damaged one counts as
// absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft {

// $XDG_CACHE_HOME/weft, or ~/.cache/weft.
std::filesystem::path cache_directory();

struct CacheEntry {
  std::filesystem::path path;
  std::string name; // of the kernel program
  std::uint64_t bytes = 0;
  std::filesystem::file_time_type used; // last time it was stored or loaded
};

class BinaryCache {
public:
  // Entries beyond `limit_bytes` are removed, the longest unused first.
  explicit BinaryCache(std::filesystem::path directory = cache_directory() / "kernels",
                       std::uint64_t limit_bytes = std::uint64_t{512} << 20);

  // `name` makes the file recognisable; `key` is a hash over everything the binary depends on.
  std::optional<std::string> load(const std::string &name, const std::string &key) const;
  // A directory that cannot be written costs time on the next run and nothing else: no error.
  void store(const std::string &name, const std::string &key, const std::string &binary);

  std::vector<CacheEntry> entries() const; // longest unused first
  // Removes all entries; returns how many bytes they had.
  std::uint64_t clear();

private:
  std::filesystem::path path_of(const std::string &name, const std::string &key) const;
  void trim();

  std::filesystem::path directory_;
  std::uint64_t limit_bytes_;
  std::uint64_t stored_since_trim_ = 0;
  bool trimmed_ = false;
};

} // namespace weft
