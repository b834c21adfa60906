// Compiled kernels kept between runs.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/system/file_cache.h"
#include "base/system/user_folders.h"

namespace weft {

class BinaryCache : public FileCache {
public:
  explicit BinaryCache(std::filesystem::path folder = cache_folder("kernels"),
                       std::uint64_t limit_bytes = std::uint64_t{512} << 20)
      : FileCache({.folder = std::move(folder),
                   .extension = ".bin",
                   .before = "weft kernel 1\n",
                   .limit_bytes = limit_bytes}) {}
};

} // namespace weft
