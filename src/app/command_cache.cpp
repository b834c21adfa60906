#include "app/command_cache.h"

#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "device/binary_cache.h"

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

// Meshes made by gmsh; the mesh layer writes them.
std::vector<fs::directory_entry> cached_meshes() {
  std::vector<fs::directory_entry> files;
  std::error_code error; // no directory, no meshes
  for (const auto &file : fs::directory_iterator(cache_directory() / "meshes", error))
    if (file.is_regular_file(error))
      files.push_back(file);
  return files;
}

void list_cache() {
  std::uint64_t bytes = 0;
  const std::vector<CacheEntry> kernels = BinaryCache().entries();
  for (const CacheEntry &entry : kernels) {
    fmt::print("{}  {:>10}  kernel  {}\n", time_text(entry.used), size_text(entry.bytes),
               entry.name);
    bytes += entry.bytes;
  }
  const std::vector<fs::directory_entry> meshes = cached_meshes();
  for (const auto &mesh : meshes) {
    fmt::print("{}  {:>10}  mesh    {}\n", time_text(mesh.last_write_time()),
               size_text(mesh.file_size()), mesh.path().filename().string());
    bytes += mesh.file_size();
  }
  fmt::print("{} kernels, {} meshes, {} in {}\n", kernels.size(), meshes.size(), size_text(bytes),
             cache_directory().string());
}

void clear_cache() {
  std::uint64_t bytes = BinaryCache().clear();
  std::error_code error;
  for (const auto &mesh : cached_meshes()) {
    const std::uint64_t size = mesh.file_size(error);
    if (fs::remove(mesh.path(), error))
      bytes += size;
  }
  fmt::print("removed {} from {}\n", size_text(bytes), cache_directory().string());
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
