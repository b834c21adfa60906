#include "base/system/file_cache.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/system/file_handle.h"
#include "base/system/user_folders.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t checksum_length = 32;

// A regular file that nobody but this user can have written.
bool is_own_file(const FileHandle &file, std::uint64_t &bytes) {
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0)
    return false;
  bytes = static_cast<std::uint64_t>(status.st_size);
  return S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

} // namespace

std::size_t FileCache::head_bytes() const {
  return kind_.before.size() + checksum_length + kind_.after.size();
}

fs::path FileCache::path_of(const std::string &name, const std::string &key) const {
  std::string safe = name.substr(0, 120);
  for (char &c : safe)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
      c = '_';
  return kind_.folder / (safe + "-" + key + kind_.extension);
}

bool FileCache::is_whole(std::string_view file) const {
  if (file.size() < head_bytes() || !file.starts_with(kind_.before))
    return false;
  const std::string_view checksum = file.substr(kind_.before.size(), checksum_length);
  const std::string_view after = file.substr(kind_.before.size() + checksum_length);
  return after.starts_with(kind_.after) && checksum == hash_hex(after.substr(kind_.after.size()));
}

std::optional<HostArray<char>> FileCache::load_file(const std::string &name,
                                                    const std::string &key) const {
  const fs::path path = path_of(name, key);
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid() && errno == ENOENT)
    return std::nullopt;
  HostArray<char> bytes;
  std::uint64_t size = 0;
  std::error_code ignored; // another process may have removed it, or may own it
  if (!file.valid() || !is_own_file(file, size) || !file.read_all(bytes, size) ||
      !is_whole({bytes.data(), bytes.size()})) {
    log::debug("cache: {} is damaged or another user's, and will be made anew", path.string());
    fs::remove_all(path, ignored);
    return std::nullopt;
  }
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return bytes;
}

std::optional<std::string> FileCache::load(const std::string &name, const std::string &key) const {
  const auto bytes = load_file(name, key);
  if (!bytes)
    return std::nullopt;
  return std::string(bytes->begin() + static_cast<std::ptrdiff_t>(head_bytes()), bytes->end());
}

void FileCache::store(const std::string &name, const std::string &key, std::string_view content) {
  static std::atomic<int> counter = 0;
  const fs::path path = path_of(name, key);
  const fs::path beside =
      path.string() + "." + std::to_string(getpid()) + "." + std::to_string(++counter) + ".tmp";
  const std::uint64_t bytes = head_bytes() + content.size();
  if (bytes > kind_.limit_bytes) {
    log::debug("cache: {} bytes are too many to keep {}", bytes, path.string());
    return;
  }
  std::error_code error = make_private_folder(kind_.folder);
  if (!error) {
    FileHandle out(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!out.valid() || !out.write_all(kind_.before + hash_hex(content) + kind_.after) ||
        !out.write_all(content) || !out.close())
      error = std::error_code(errno, std::generic_category());
  }
  if (!error)
    fs::rename(beside, path, error);
  if (error) {
    log::debug("cache: cannot write {}: {}", path.string(), error.message());
    fs::remove(beside, error);
    return;
  }
  stored_since_trim_ += bytes;
  if (!trimmed_ || stored_since_trim_ > kind_.limit_bytes / 16)
    trim();
}

std::vector<CacheEntry> FileCache::entries() const {
  std::vector<CacheEntry> entries;
  std::error_code error;
  for (const auto &file : fs::directory_iterator(kind_.folder, error)) {
    if (file.path().extension() != kind_.extension)
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

std::uint64_t FileCache::clear() {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const CacheEntry &entry : entries())
    if (fs::remove(entry.path, error))
      bytes += entry.bytes;
  return bytes;
}

void FileCache::trim() {
  trimmed_ = true;
  stored_since_trim_ = 0;
  std::error_code error;
  // What killed processes left behind.
  const auto an_hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto &file : fs::directory_iterator(kind_.folder, error))
    if (file.path().extension() == ".tmp" && file.last_write_time(error) < an_hour_ago)
      fs::remove(file.path(), error);
  const std::vector<CacheEntry> all = entries();
  std::uint64_t bytes = 0;
  for (const CacheEntry &entry : all)
    bytes += entry.bytes;
  for (const CacheEntry &entry : all) {
    if (bytes <= kind_.limit_bytes)
      break;
    fs::remove(entry.path, error);
    bytes -= entry.bytes;
  }
}

} // namespace weft
