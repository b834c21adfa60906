#include "mesh/gmsh/mesh_geometry.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/number.h"
#include "base/system/run_folder.h"
#include "base/system/user_folders.h"
#include "mesh/gmsh/geometry_files.h"
#include "mesh/gmsh/run_gmsh.h"

namespace weft {

namespace fs = std::filesystem;

namespace {

std::string replace_all(std::string text, const std::string &old, const std::string &fresh) {
  for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + fresh.size()))
    text.replace(at, old.size(), fresh);
  return text;
}

// The errors that gmsh named, else its last lines: of the user's files, not of their copies in the
// folder.
std::string words_of_gmsh(std::string said, const GeometryFiles &geometry, const fs::path &folder) {
  for (const GeometryFile &file : geometry.files)
    if (!file.copy.empty())
      said = replace_all(std::move(said), (folder / file.copy).string(), file.path.string());
  for (const fs::path &place : {folder / "missing", folder})
    said = replace_all(std::move(said), place.string() + "/", "");
  constexpr std::size_t most = 12;
  std::istringstream lines_of(said);
  std::vector<std::string> lines, errors;
  for (std::string line; std::getline(lines_of, line);) {
    lines.push_back(line.substr(0, 500));
    if (line.starts_with("Error") && errors.size() < most)
      errors.push_back(lines.back());
  }
  if (errors.empty())
    errors.assign(lines.end() - static_cast<std::ptrdiff_t>(std::min(most, lines.size())),
                  lines.end());
  return fmt::format("\n  {}", fmt::join(errors, "\n  "));
}

// Whether a mesh file ends as it should; gmsh reports success on a full disk.
bool is_complete(std::string_view mesh) {
  return mesh.ends_with('\n') &&
         mesh.substr(mesh.size() - std::min<std::size_t>(mesh.size(), 16)).find("$End") !=
             std::string_view::npos;
}

std::vector<std::string> options(const GeometryMeshing &how) {
  // -3 meshes what there is: surfaces only where the geometry has no volume.
  std::vector<std::string> list = {"-3",   "-format", "msh41",
                                   "-bin", "-order",  std::to_string(how.order)};
  if (how.size) {
    list.push_back("-clmax");
    list.push_back(format_real(*how.size));
  }
  return list;
}

[[noreturn]] void fail(const std::string &path, const GeometryMeshing &how, const GmshEnd &end,
                       const std::string &said) {
  if (end.timed_out)
    throw Error(ErrorKind::system,
                {fmt::format("gmsh did not finish in time and was ended; it said:{}", said), path,
                 "", fmt::format("{} s, the limit of --mesh-timeout", format_real(how.timeout_s)),
                 "make the mesh coarser, or the limit longer with --mesh-timeout SECONDS"});
  throw Error(ErrorKind::input,
              {fmt::format("gmsh could not mesh the geometry (exit status {}); it said:{}",
                           end.status, said),
               path, "", "", "try the same by hand: gmsh -3 " + path});
}

// Meshes the geometry with gmsh.
HostArray<char> make_anew(const std::string &path, const GeometryMeshing &how,
                          const GeometryFiles &geometry, const fs::path &gmsh) {
  log::info("meshing {} with gmsh", path);
  for (const std::string &options : geometry.ignored)
    log::notice("{} is not read: options of gmsh beside a geometry need --trust", options);
  const RunFolder folder(cache_folder("scratch"));
  if (!how.trust)
    write_copies(geometry, folder.path());
  GmshEnd end =
      run_gmsh({.gmsh = gmsh,
                .geometry = how.trust ? path : (folder.path() / geometry.files[0].copy).string(),
                .options = options(how),
                .trust = how.trust,
                .timeout_s = how.timeout_s,
                .folder = folder.path()});
  if (end.mesh.empty())
    fail(path, how, end, words_of_gmsh(end.said, geometry, folder.path()));
  if (!is_complete({end.mesh.data(), end.mesh.size()}))
    throw Error(ErrorKind::system,
                {"gmsh did not write the whole mesh.", folder.path().parent_path().string(), "",
                 "a folder with room", "make room on the disk"});
  return std::move(end.mesh);
}

} // namespace

bool is_geometry_file(const std::string &path) {
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".geo" || extension == ".step" || extension == ".stp";
}

FileCache mesh_cache() {
  // The checksum stands in a section that all readers of Gmsh's files pass over.
  return FileCache({.folder = cache_folder("meshes"),
                    .extension = ".msh",
                    .before = "$Comments\nweft mesh 1\n",
                    .after = "\n$EndComments\n",
                    .limit_bytes = std::uint64_t{8} << 30});
}

GmshSource mesh_geometry(const std::string &path, const GeometryMeshing &how) {
  const GeometryFiles geometry = read_geometry(path, how.trust);
  const fs::path gmsh = find_gmsh();
  const std::string name = fs::path(path).stem().string();
  const std::string key =
      hash_hex(fmt::format("{}\n{} {} {}", geometry.text(), gmsh_version(gmsh, how.trust),
                           fmt::join(options(how), " "), how.trust ? "trusted" : ""));
  FileCache cache = mesh_cache();
  if (auto kept = cache.load_file(name, key)) {
    log::debug("mesh of {} from {}", path, cache.path_of(name, key).string());
    return {cache.path_of(name, key).string(), std::move(*kept), cache.head_bytes()};
  }
  HostArray<char> mesh = make_anew(path, how, geometry, gmsh);
  cache.store(name, key, {mesh.data(), mesh.size()});
  return {path, std::move(mesh), 0};
}

} // namespace weft
