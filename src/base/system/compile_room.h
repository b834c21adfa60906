// What drivers and their compilers need of the machine, looked at before they are called: where
// memory or disk runs out, LLVM ends or stops the process itself, which nobody can catch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace weft {

// What is left, and what sets that limit, for messages.
struct Room {
  std::uint64_t bytes = 0;
  std::string by; // "the limit of address space (ulimit -v)"
};

// What may be written below a folder that need not be there yet: free blocks of its file system.
// What the system does not say is no limit.
Room disk_left(const std::filesystem::path &folder);

// The files of a process that compiles kernels find room there.
bool has_room_for_kernels(const std::filesystem::path &folder);

// Before an OpenCL driver is loaded that keeps its files in `scratch`. Throws `system` with what is
// left, how much is needed, and the remedy.
void require_room_for_driver(const std::filesystem::path &scratch);
// The same before a kernel is compiled.
void require_room_to_compile(const std::filesystem::path &scratch);

} // namespace weft
