#include "cli/version_text.h"

#include <fmt/format.h>

#include "base/modules/loadable_module.h"
#include "base/version.h"
#include "ranks/mpi_module.h"
#include "solve/direct/direct_module.h"
#include "solve/precondition/hypre_module.h"

namespace weft {

namespace {

#ifdef __clang__
constexpr const char *compiler = "";
#else
constexpr const char *compiler = "GCC ";
#endif
#ifdef NDEBUG
constexpr const char *build = "optimised";
#else
constexpr const char *build = "for debugging";
#endif

std::string module_text(const std::string &name, const char *file) {
  const std::string path = find_loadable_module(file);
  return fmt::format("{}: {}\n", name, path.empty() ? "not there" : path);
}

} // namespace

std::string version_text() {
  return fmt::format("weft {}\n{}compiler: {}{}, C++{}, {}\ndevices: OpenCL, CUDA (weft devices "
                     "lists those of this machine)\n",
                     version(), commit().empty() ? "" : "commit: " + commit() + "\n", compiler,
                     __VERSION__, __cplusplus / 100 % 100, build) +
         module_text("MPI", mpi_module_file) + module_text("hypre", hypre_module_file) +
         module_text("MUMPS", direct_module_file);
}

} // namespace weft
