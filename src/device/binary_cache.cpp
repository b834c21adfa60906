#include "device/binary_cache.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// First bytes of an entry; the checksum of the rest follows.
const std::string magic = "weft kernel 1\n";
constexpr std::size_t checksum_length = 32;
const std::string extension = ".bin";

} // namespace

fs::path cache_directory() {
  if (const char *xdg = std::getenv("XDG_CACHE_HOME"); xdg && fs::path(xdg).is_absolute())
    return fs::path(xdg) / "weft";
  if (const char *home = std::getenv("HOME"); home && fs::path(home).is_absolute())
    return fs::path(home) / ".cache" / "weft";
  return fs::temp_directory_path() / ("weft-" + std::to_string(getuid()));
}

BinaryCache::BinaryCache(fs::path directory, std::uint64_t limit_bytes)
    : directory_(std::move(directory)), limit_bytes_(limit_bytes) {}

fs::path BinaryCache::path_of(const std::string &name, const std::string &key) const {
  std::string safe = name.substr(0, 120);
  for (char &c : safe)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
      c = '_';
  return directory_ / (safe + "-" + key + extension);
}

std::optional<std::string> BinaryCache::load(const std::string &name,
                                             const std::string &key) const {
  const fs::path path = path_of(name, key);
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return std::nullopt;
  std::ostringstream content;
  content << in.rdbuf();
  const std::string text = std::move(content).str();
  const std::size_t head = magic.size() + checksum_length;
  std::error_code ignored; // another process may have removed it, or may own it
  if (text.size() < head || !text.starts_with(magic) ||
      text.compare(magic.size(), checksum_length, hash_hex(std::string_view(text).substr(head))) !=
          0) {
    log::debug("kernel cache: {} is damaged and will be rebuilt", path.string());
    fs::remove(path, ignored);
    return std::nullopt;
  }
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return text.substr(head);
}

void BinaryCache::store(const std::string &name, const std::string &key,
                        const std::string &binary) {
  static std::atomic<int> counter = 0;
  const fs::path path = path_of(name, key);
  const fs::path beside =
      path.string() + "." + std::to_string(getpid()) + "." + std::to_string(++counter) + ".tmp";
  std::error_code error;
  fs::create_directories(directory_, error);
  {
    std::ofstream out(beside, std::ios::binary);
    out << magic << hash_hex(binary) << binary;
    out.close();
    if (!out)
      error = std::make_error_code(std::errc::io_error);
  }
  if (!error)
    fs::rename(beside, path, error);
  if (error) {
    log::debug("kernel cache: cannot write {}: {}", path.string(), error.message());
    fs::remove(beside, error);
    return;
  }
  stored_since_trim_ += binary.size();
  if (!trimmed_ || stored_since_trim_ > limit_bytes_ / 16)
    trim();
}

std::vector<CacheEntry> BinaryCache::entries() const {
  std::vector<CacheEntry> entries;
  std::error_code error;
  for (const auto &file : fs::directory_iterator(directory_, error)) {
    if (file.path().extension() != extension)
      continue;
    CacheEntry entry{.path = file.path()};
    entry.bytes = file.file_size(error);
    if (error) // removed by another process meanwhile
      continue;
    entry.used = file.last_write_time(error);
    const std::string stem = file.path().stem().string();
    entry.name = stem.substr(0, stem.rfind('-'));
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const CacheEntry &a, const CacheEntry &b) { return a.used < b.used; });
  return entries;
}

std::uint64_t BinaryCache::clear() {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const CacheEntry &entry : entries())
    if (fs::remove(entry.path, error))
      bytes += entry.bytes;
  return bytes;
}

void BinaryCache::trim() {
  trimmed_ = true;
  stored_since_trim_ = 0;
  std::error_code error;
  // What killed processes left behind.
  const auto an_hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto &file : fs::directory_iterator(directory_, error))
    if (file.path().extension() == ".tmp" && file.last_write_time(error) < an_hour_ago)
      fs::remove(file.path(), error);
  const std::vector<CacheEntry> all = entries();
  std::uint64_t bytes = 0;
  for (const CacheEntry &entry : all)
    bytes += entry.bytes;
  for (const CacheEntry &entry : all) {
    if (bytes <= limit_bytes_)
      break;
    fs::remove(entry.path, error);
    bytes -= entry.bytes;
  }
}

} // namespace weft
