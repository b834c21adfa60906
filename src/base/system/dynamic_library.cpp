#include "base/system/dynamic_library.h"

#include <cstdlib>
#include <dlfcn.h>

namespace weft {

std::unique_ptr<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string> &names) {
  for (const std::string &name : names)
    if (void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
      return std::unique_ptr<DynamicLibrary>(new DynamicLibrary(handle));
  return nullptr;
}

DynamicLibrary::~DynamicLibrary() {
  dlclose(handle_);
}

void *DynamicLibrary::find(const char *symbol) const {
  return dlsym(handle_, symbol);
}

std::vector<std::string> cuda_library_names(const std::string &name,
                                            const std::vector<std::string> &versions) {
  std::vector<std::string> directories = {""};
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    directories.push_back(std::string(home) + "/lib64/");
  directories.push_back("/usr/local/cuda/lib64/");
  std::vector<std::string> names;
  for (const std::string &directory : directories) {
    for (const std::string &version : versions)
      names.push_back(directory + name + version);
    names.push_back(directory + name);
  }
  return names;
}

} // namespace weft
