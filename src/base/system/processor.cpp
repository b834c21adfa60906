#include "base/system/processor.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace weft {

namespace {

std::string first_line(const std::string &path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// What the system says of the first processor, a property a line: "model\t\t: 2".
std::vector<std::string> processor_lines() {
  std::vector<std::string> lines;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line) && !line.empty();)
    lines.push_back(line);
  return lines;
}

// The value of a property ("model"), empty where the system does not say it.
std::string property(const std::vector<std::string> &lines, std::string_view name) {
  for (const std::string &line : lines) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.find_last_not_of(" \t", colon - 1) + 1 != name.size() ||
        !line.starts_with(name))
      continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

struct Cache {
  std::uint64_t bytes = 0;
  std::string processors; // that share it: "0-1"
};

// Caches of the first processor, the first ones first; as many as the system tells of.
std::vector<Cache> caches() {
  std::vector<Cache> all;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    std::ifstream in(folder + "size");
    std::uint64_t size = 0;
    char unit = 0;
    if (in >> size >> unit) // "32768K"
      all.push_back({size << (unit == 'M' ? 20 : 10), first_line(folder + "shared_cpu_list")});
  }
  return all;
}

} // namespace

std::string processor_identity() {
  std::string text;
  for (const std::string &line : processor_lines())
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

std::string processor_architecture() {
  const std::vector<std::string> lines = processor_lines();
  utsname system{};
  uname(&system);
  std::string text = system.machine;
  for (const auto &[name, word] : {std::pair{"cpu family", "family"},
                                   {"model", "model"},
                                   {"CPU implementer", "implementer"},
                                   {"CPU part", "part"}})
    if (const std::string value = property(lines, name); !value.empty())
      text += fmt::format(" {} {}", word, value);
  const std::string flags =
      fmt::format(" {} {} ", property(lines, "flags"), property(lines, "Features"));
  // The widest vectors it has.
  for (const auto &[flag, word] : {std::pair{" avx512f ", " avx512"},
                                   {" avx2 ", " avx2"},
                                   {" avx ", " avx"},
                                   {" sve ", " sve"},
                                   {" asimd ", " neon"}})
    if (flags.find(flag) != std::string::npos)
      return text + word;
  return text;
}

std::string processor_name() {
  const std::string name = property(processor_lines(), "model name");
  return (name.empty() ? "" : name + ", ") + processor_architecture();
}

std::uint64_t last_cache_bytes() {
  std::uint64_t largest = 0;
  for (const Cache &cache : caches())
    largest = std::max(largest, cache.bytes);
  return largest;
}

// The first cache of a core is its own, or of its hardware threads.
std::uint64_t core_cache_bytes() {
  std::uint64_t largest = 0;
  const std::vector<Cache> all = caches();
  for (const Cache &cache : all)
    if (cache.processors == all.front().processors)
      largest = std::max(largest, cache.bytes);
  return largest;
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
