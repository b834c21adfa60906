#include "solve/precondition/hypre_library.h"

#include <string>

#include "base/error.h"
#include "base/modules/loadable_module.h"

namespace weft {

namespace {

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
  const OpenedModule opened = open_loadable_module({hypre_module_file, hypre_module_symbol});
  if (!opened.symbol)
    refuse(opened.file, opened.problem);
  const HypreModule *module = reinterpret_cast<HypreModuleEntry *>(opened.symbol)();
  if (!module || module->interface_version != hypre_interface_version)
    refuse(opened.file, "a module of another version of Weft");
  if (module->start() != 0)
    throw Error(ErrorKind::system, {.what = "the module of hypre does not start",
                                    .where = opened.file,
                                    .found = module->last_error()});
  return *module;
}

} // namespace

const HypreModule &hypre_library() {
  static const HypreModule &module = open_module(); // tried again where it threw
  return module;
}

} // namespace weft
