// The program gmsh, as a process of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/host_array.h"

namespace weft {

// Where gmsh lies. Throws a system error where it is not installed.
std::filesystem::path find_gmsh();

// Its version, asked once for a program file and remembered under its path, size and time. `trust`:
// see run_gmsh().
std::string gmsh_version(const std::filesystem::path &gmsh, bool trust);

struct GmshRun {
  std::filesystem::path gmsh;
  std::string geometry;             // in the folder of the run, or elsewhere with trust
  std::vector<std::string> options; // "-3", ...
  bool trust = false;
  double timeout_s = 3600;
  std::filesystem::path folder; // for its files; nobody else's
};

struct GmshEnd {
  int status = 0;
  bool timed_out = false;
  bool confined = false;
  std::string said;
  HostArray<char> mesh; // empty where it wrote none
};

// Runs gmsh on a geometry. Without trust it works in the folder, has its home there, and where the
// kernel has Landlock it may neither run programs nor write anywhere else
// (base/system/confinement.h).
GmshEnd run_gmsh(const GmshRun &run);

} // namespace weft
