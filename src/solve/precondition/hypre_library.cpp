#include "solve/precondition/hypre_library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/names.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> module_files() {
  if (const char *folder = std::getenv("WEFT_MODULE_DIR"); folder && *folder)
    return {(fs::path(folder) / hypre_module_file).string()};
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<const void *>(&hypre_library), &info) || !info.dli_fname)
    return {};
  std::error_code ignored;
  const fs::path folder = fs::absolute(info.dli_fname, ignored).parent_path();
  // Beside the library, or where an installed program finds it from its own folder.
  return {(folder / hypre_module_file).string(), (folder / "weft" / hypre_module_file).string(),
          (folder / WEFT_LIB_FROM_BIN / "weft" / hypre_module_file).lexically_normal().string()};
}

[[noreturn]] void refuse(const std::string &where, const std::string &found) {
  throw Error(ErrorKind::system,
              {.what = "the preconditioner hypre needs Weft's module of hypre, which is not there",
               .where = where,
               .found = found,
               .remedy = "install the packages libhypre-dev, libopenmpi-dev and openmpi-bin, and "
                         "build Weft again; or choose preconditioner = \"jacobi\" or "
                         "\"chebyshev\""});
}

const HypreModule &open_module() {
  const std::vector<std::string> files = module_files();
  for (const std::string &file : files) {
    if (!fs::exists(file))
      continue;
    // Never closed: MPI does not start twice in one process.
    void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
      refuse(file, dlerror());
    auto *entry = reinterpret_cast<HypreModuleEntry *>(dlsym(handle, hypre_module_symbol));
    const HypreModule *module = entry ? entry() : nullptr;
    if (!module || module->interface_version != hypre_interface_version)
      refuse(file, "a module of another version of Weft");
    if (module->start() != 0)
      throw Error(ErrorKind::system, {.what = "the module of hypre does not start",
                                      .where = file,
                                      .found = module->last_error()});
    return *module;
  }
  refuse(join_names(files), "no such file");
}

} // namespace

const HypreModule &hypre_library() {
  static const HypreModule &module = open_module(); // tried again where it threw
  return module;
}

} // namespace weft
