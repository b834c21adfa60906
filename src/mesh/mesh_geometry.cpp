#include "mesh/mesh_geometry.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/number.h"
#include "mesh/run_program.h"

namespace weft {

namespace fs = std::filesystem;

namespace {

std::string read_text(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path))
    throw Error(ErrorKind::input, {"The geometry file cannot be read.", path.string(), "",
                                   "a readable .geo, .step or .stp file", "check the path"});
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The text of a geometry and of the files that it includes or merges, each once. Files that are not
// there are left for gmsh to complain about.
void collect_text(const fs::path &path, std::set<fs::path> &seen, std::string &all) {
  if (!seen.insert(fs::weakly_canonical(path)).second)
    return;
  const std::string text = read_text(path);
  all += fmt::format("{} {}\n", path.filename().string(), text.size()) + text;
  if (path.extension() != ".geo")
    return;
  static const std::regex reference(
      R"re((?:Include|Merge|MergeFile|ShapeFromFile)\s*\(?\s*"([^"]+)")re");
  for (std::sregex_iterator match(text.begin(), text.end(), reference), end; match != end;
       ++match) {
    const fs::path other = path.parent_path() / (*match)[1].str();
    std::error_code ignored;
    if (fs::is_regular_file(other, ignored))
      collect_text(other, seen, all);
  }
}

fs::path cache_folder() {
  fs::path base;
  if (const char *xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
    base = xdg;
  else if (const char *home = std::getenv("HOME"); home && *home)
    base = fs::path(home) / ".cache";
  else
    base = fs::temp_directory_path();
  const fs::path folder = base / "weft" / "meshes";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(ErrorKind::system,
                {"The folder of cached meshes cannot be made.", folder.string(), error.message(),
                 "a writable folder", "set XDG_CACHE_HOME to a writable folder"});
  return folder;
}

fs::path find_gmsh() {
  const fs::path found = find_program("gmsh");
  if (found.empty())
    throw Error(ErrorKind::system,
                {"The program gmsh is not installed; it meshes .geo and .step files.", "PATH", "",
                 "", "apt-get install gmsh, or give a .msh file"});
  return found;
}

// A name beside `path` that no other process uses.
fs::path beside(const fs::path &path, const char *extension) {
  return fmt::format("{}.{}{}", path.string(), ::getpid(), extension);
}

// Gmsh's version, asked once for a program file and remembered under its path, size and time.
std::string gmsh_version(const fs::path &gmsh, const fs::path &folder) {
  const fs::path program = fs::canonical(gmsh);
  const auto identity = fmt::format("{} {} {}", program.string(), fs::file_size(program),
                                    fs::last_write_time(program).time_since_epoch().count());
  const fs::path remembered = folder / ("gmsh-" + hash_hex(identity) + ".version");
  std::string version;
  if (std::ifstream file(remembered); file && std::getline(file, version) && !version.empty())
    return version;
  const fs::path log = beside(remembered, ".log");
  const int status = run_program({program.string(), "--version"}, log);
  std::ifstream(log) >> version;
  fs::remove(log);
  if (status != 0 || version.empty())
    throw Error(ErrorKind::system,
                {"The program gmsh does not run.", program.string(),
                 fmt::format("exit status {} of gmsh --version", status), "", "reinstall gmsh"});
  const fs::path fresh = beside(remembered, ".tmp");
  std::ofstream(fresh) << version << '\n';
  fs::rename(fresh, remembered);
  return version;
}

std::string last_lines(const fs::path &log, std::size_t count) {
  std::ifstream file(log);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  std::string text;
  for (std::size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i)
    text += "\n  " + lines[i];
  return text;
}

// Whether a mesh file ends as it should; gmsh reports success on a full disk.
bool is_complete(const fs::path &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff length = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  std::string end(static_cast<std::size_t>(std::min<std::streamoff>(length, 16)), ' ');
  file.seekg(length - static_cast<std::streamoff>(end.size()));
  file.read(end.data(), static_cast<std::streamsize>(end.size()));
  return end.find("$End") != std::string::npos && end.back() == '\n';
}

std::vector<std::string> options(int order, std::optional<double> size) {
  // -3 meshes what there is: surfaces only where the geometry has no volume.
  std::vector<std::string> list = {"-3",   "-format", "msh41",
                                   "-bin", "-order",  std::to_string(order)};
  if (size) {
    list.push_back("-clmax");
    list.push_back(format_real(*size));
  }
  return list;
}

} // namespace

bool is_geometry_file(const std::string &path) {
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".geo" || extension == ".step" || extension == ".stp";
}

std::string mesh_geometry(const std::string &path, int order, std::optional<double> size) {
  std::set<fs::path> seen;
  std::string key;
  collect_text(path, seen, key);
  const fs::path gmsh = find_gmsh(), folder = cache_folder();
  const auto chosen = options(order, size);
  key += fmt::format("\n{} {}", gmsh_version(gmsh, folder), fmt::join(chosen, " "));
  const fs::path mesh = folder / (hash_hex(key) + ".msh");
  if (fs::exists(mesh)) {
    log::debug("mesh of {} from {}", path, mesh.string());
    return mesh.string();
  }
  log::info("meshing {} with gmsh", path);
  const fs::path fresh = beside(mesh, ".tmp.msh"), log = beside(mesh, ".log");
  std::vector<std::string> command = {gmsh.string(), path, "-o", fresh.string()};
  command.insert(command.end(), chosen.begin(), chosen.end());
  const int status = run_program(command, log);
  std::error_code ignored;
  const std::string said = last_lines(log, 12);
  fs::remove(log, ignored);
  if (status != 0 || !fs::exists(fresh)) {
    fs::remove(fresh, ignored);
    throw Error(
        ErrorKind::input,
        {fmt::format("gmsh could not mesh the geometry (exit status {}); it said:{}", status, said),
         path, "", "", "try the same by hand: gmsh -3 " + path});
  }
  if (!is_complete(fresh)) {
    fs::remove(fresh, ignored);
    throw Error(ErrorKind::system, {"gmsh did not write the whole mesh.", folder.string(), "",
                                    "a folder with room", "make room on the disk"});
  }
  fs::rename(fresh, mesh);
  return mesh.string();
}

} // namespace weft
