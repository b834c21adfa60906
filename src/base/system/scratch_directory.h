// Files of this process that a driver needs while it runs.
#pragma once

#include <filesystem>

namespace weft {

// A new directory, removed when the process exits: in memory where there is room and code may be
// loaded from there, else in the cache, else where temporary files go; first those with room. PoCL
// unpacks its binaries there, and processes that shared one would delete each other's. Removes
// those that killed processes left behind.
std::filesystem::path make_scratch_directory();

} // namespace weft
