// A shared library opened at run time: CUDA's, where there are any, and the host device's programs.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace weft {

class DynamicLibrary {
public:
  // The first of `names` (a library's name or a path) that opens; null when none does.
  static std::unique_ptr<DynamicLibrary> open(const std::vector<std::string> &names);
  ~DynamicLibrary();
  DynamicLibrary(const DynamicLibrary &) = delete;
  DynamicLibrary &operator=(const DynamicLibrary &) = delete;

  // Null when the library has no such symbol.
  void *find(const char *symbol) const;
  // Sets a function pointer; false when the library has no such symbol.
  template <typename Function> bool load(Function *&function, const char *symbol) const {
    function = reinterpret_cast<Function *>(find(symbol));
    return function != nullptr;
  }

private:
  explicit DynamicLibrary(void *handle) : handle_(handle) {}
  void *handle_;
};

// Where a CUDA library may lie: found by the linker's search, in $CUDA_HOME/lib64, or in
// /usr/local/cuda/lib64. `versions`: ".13", ...; the bare name is tried last.
std::vector<std::string> cuda_library_names(const std::string &name,
                                            const std::vector<std::string> &versions);

} // namespace weft
