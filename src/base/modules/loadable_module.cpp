#include "base/modules/loadable_module.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <vector>

#include "base/names.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

// The sanitizers' run-time library refuses modules that do not take their functions from it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int own_symbols_first = 0;
#else
constexpr int own_symbols_first = RTLD_DEEPBIND;
#endif

// The file that this code is in, the library or the program; empty where it is not known.
fs::path own_file() {
  Dl_info info = {};
  link_map *map = nullptr;
  if (!dladdr1(reinterpret_cast<const void *>(&open_loadable_module), &info,
               reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP))
    return {};
  std::error_code ignored;
  // The program has no name there. In `info` it has what it was called by, which for one found by
  // PATH is a file of the working folder.
  if (*map->l_name == '\0')
    return fs::read_symlink("/proc/self/exe", ignored);
  return fs::absolute(map->l_name, ignored);
}

std::vector<std::string> candidates(const std::string &file) {
  if (const char *folder = std::getenv("WEFT_MODULE_DIR"); folder && *folder)
    return {(fs::path(folder) / file).string()};
  const fs::path own = own_file();
  if (own.empty())
    return {};
  const fs::path folder = own.parent_path();
  // Beside the library, or where an installed program finds it from its own folder.
  return {(folder / file).string(), (folder / "weft" / file).string(),
          (folder / WEFT_LIB_FROM_BIN / "weft" / file).lexically_normal().string()};
}

} // namespace

std::string find_loadable_module(const std::string &file) {
  for (const std::string &candidate : candidates(file))
    if (std::error_code ignored; fs::exists(candidate, ignored))
      return candidate;
  return {};
}

OpenedModule open_loadable_module(const LoadableModule &module) {
  const std::vector<std::string> files = candidates(module.file);
  for (const std::string &file : files) {
    std::error_code ignored;
    if (!fs::exists(file, ignored))
      continue;
    void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | own_symbols_first);
    if (!handle)
      return {.file = file, .problem = dlerror()};
    void *symbol = dlsym(handle, module.symbol.c_str());
    if (!symbol)
      return {.file = file, .problem = "no module of Weft"};
    return {.symbol = symbol, .file = file};
  }
  return {.file = join_names(files), .problem = "no such file", .missing = true};
}

} // namespace weft
