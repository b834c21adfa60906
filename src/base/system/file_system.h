// What a file system can be trusted with.
#pragma once

#include <filesystem>

namespace weft {

// Whether memory mapped from a file there is the same memory for everybody who may open the file:
// not where other computers have it open, too (NFS, Lustre, ...). SQLite's WAL relies on it.
bool shares_mapped_memory(const std::filesystem::path &folder);

} // namespace weft
