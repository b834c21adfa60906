#include "cli/command_cache.h"

#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/system/user_folders.h"
#include "device/binary_cache.h"
#include "mesh/gmsh/mesh_geometry.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

std::string size_text(std::uint64_t bytes) {
  return bytes < 1000000 ? fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3)
                         : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string time_text(fs::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  return fmt::format(
      "{:%Y-%m-%d %H:%M}",
      fmt::localtime(std::chrono::system_clock::to_time_t(
          std::chrono::time_point_cast<std::chrono::system_clock::duration>(system))));
}

std::uint64_t print_entries(const char *kind, const std::vector<CacheEntry> &entries) {
  std::uint64_t bytes = 0;
  for (const CacheEntry &entry : entries) {
    fmt::print("{}  {:>10}  {:<6}  {}\n", time_text(entry.used), size_text(entry.bytes), kind,
               entry.name);
    bytes += entry.bytes;
  }
  return bytes;
}

void list_cache() {
  const std::vector<CacheEntry> kernels = BinaryCache().entries(), meshes = mesh_cache().entries();
  const std::uint64_t bytes = print_entries("kernel", kernels) + print_entries("mesh", meshes);
  fmt::print("{} kernels, {} meshes, {} in {}\n", kernels.size(), meshes.size(), size_text(bytes),
             cache_folder().string());
}

void clear_cache() {
  const std::uint64_t bytes = BinaryCache().clear() + mesh_cache().clear();
  fmt::print("removed {} from {}\n", size_text(bytes), cache_folder().string());
}

} // namespace

void add_cache_command(CLI::App &app) {
  auto *cache =
      app.add_subcommand("cache", "compiled kernels and meshed geometries kept for reuse");
  cache->require_subcommand(1);
  cache->add_subcommand("ls", "list what is kept, the longest unused first")->callback(list_cache);
  cache->add_subcommand("clear", "remove it all; it is made again when needed")
      ->callback(clear_cache);
}

} // namespace weft
