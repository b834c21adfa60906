#include "device/processor.h"

#include <algorithm>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace weft {

namespace {

std::string first_line(const std::string &path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

} // namespace

std::string processor_identity() {
  std::string text;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line) && !line.empty();) // the first processor's block
    for (const char *key : {"vendor_id", "cpu family", "model", "stepping", "flags", "Features",
                            "CPU implementer", "CPU part"})
      if (line.starts_with(key))
        text += line + "\n";
  for (int level = 0; level < 4; ++level)
    text +=
        first_line("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size") +
        "\n";
  return text + std::to_string(std::thread::hardware_concurrency());
}

std::uint64_t host_memory_bytes() {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t bytes = page * static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  if (std::uint64_t value = 0; limit >> value) // "max" is no number
    bytes = std::min(bytes, value);
  return bytes;
}

} // namespace weft
