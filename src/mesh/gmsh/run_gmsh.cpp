#include "mesh/gmsh/run_gmsh.h"

#include <fmt/format.h>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/system/file_cache.h"
#include "base/system/input_file.h"
#include "base/system/run_folder.h"
#include "base/system/run_program.h"
#include "base/system/user_folders.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// Options of gmsh are read from its home; other files go where temporary ones go.
std::vector<std::string> environment_in(const fs::path &folder) {
  std::vector<std::string> settings;
  for (const char *name : {"HOME", "GMSH_HOME", "TMPDIR", "TMP", "TEMP"})
    settings.push_back(fmt::format("{}={}", name, folder.string()));
  return settings;
}

// What a run without trust may do.
struct Bounds {
  Bounds(const fs::path &gmsh, const fs::path &folder) : confinement(gmsh, folder) {
    if (confinement.active())
      log::debug("gmsh runs confined by Landlock, version {}", landlock_version());
    else if (landlock_version() == 0)
      log::debug("gmsh runs unconfined: this kernel has no Landlock");
    else
      log::notice("gmsh runs unconfined: rules of Landlock cannot be made for {}", gmsh.string());
  }
  void apply_to(ProgramRun &program, const fs::path &folder) const {
    program.folder = folder;
    program.environment = environment_in(folder);
    program.confinement = confinement.active() ? &confinement : nullptr;
  }

  Confinement confinement;
};

} // namespace

fs::path find_gmsh() {
  const fs::path found = find_program("gmsh");
  if (found.empty())
    throw Error(ErrorKind::system,
                {"The program gmsh is not installed; it meshes .geo and .step files.", "PATH", "",
                 "", "apt-get install gmsh, or give a .msh file"});
  return fs::canonical(found);
}

std::string gmsh_version(const fs::path &gmsh, bool trust) {
  FileCache cache({.folder = cache_folder("meshes"),
                   .extension = ".version",
                   .before = "weft version 1\n",
                   .after = "\n",
                   .limit_bytes = 1 << 16});
  const std::string key =
      hash_hex(fmt::format("{} {} {}", gmsh.string(), fs::file_size(gmsh),
                           fs::last_write_time(gmsh).time_since_epoch().count()));
  if (const auto version = cache.load("gmsh", key))
    return *version;
  const RunFolder folder(cache_folder("scratch"));
  ProgramRun program{.arguments = {gmsh.string(), "--version"}, .timeout_s = 60};
  std::optional<Bounds> bounds;
  if (!trust)
    bounds.emplace(gmsh, folder.path()).apply_to(program, folder.path());
  const ProgramEnd end = run_program(program);
  std::string version;
  std::istringstream(end.output) >> version;
  if (end.status != 0 || version.empty())
    throw Error(ErrorKind::system,
                {"The program gmsh does not run.", gmsh.string(),
                 fmt::format("exit status {} of gmsh --version", end.status), "",
                 "reinstall gmsh; where it is a script that starts other programs, say --trust"});
  cache.store("gmsh", key, version);
  return version;
}

GmshEnd run_gmsh(const GmshRun &run) {
  const fs::path mesh = run.folder / "mesh.msh";
  ProgramRun program{.arguments = {run.gmsh.string(), run.geometry, "-o", mesh.string()},
                     .timeout_s = run.timeout_s};
  program.arguments.insert(program.arguments.end(), run.options.begin(), run.options.end());
  std::optional<Bounds> bounds;
  if (run.trust)
    log::debug("gmsh runs unconfined, with trust");
  else
    bounds.emplace(run.gmsh, run.folder).apply_to(program, run.folder);
  const ProgramEnd end = run_program(program);
  GmshEnd result{.status = end.status,
                 .timed_out = end.timed_out,
                 .confined = program.confinement != nullptr,
                 .said = end.output};
  std::error_code ignored;
  if (end.status == 0 && fs::is_regular_file(fs::symlink_status(mesh, ignored)))
    result.mesh = read_input_file(mesh.string(), {"mesh that gmsh wrote", "a Gmsh file"});
  return result;
}

} // namespace weft
