// Weft's loadable modules, each alone linked with a heavy library, found and opened when asked for.
#pragma once

#include <string>

namespace weft {

struct LoadableModule {
  std::string file;   // "libweft_hypre.so"
  std::string symbol; // a function without arguments that hands out the module's table
};

struct OpenedModule {
  void *symbol = nullptr; // null where there is none
  std::string file;       // that was opened, or those looked for
  std::string problem;    // where `symbol` is null
  bool missing = false;   // there is no such file at all
};

// Looked for in $WEFT_MODULE_DIR where that is set, else beside the library (or program) that this
// code is in, and in weft/ there. Its libraries see each other before what the process has loaded
// already: an MPI of one and the stub in place of MPI of another do not meet. Never closed.
OpenedModule open_loadable_module(const LoadableModule &module);
// Where the file of a module is, without opening it; empty where there is none.
std::string find_loadable_module(const std::string &file);

} // namespace weft
