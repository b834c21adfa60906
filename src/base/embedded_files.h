// What the generated source of cmake/EmbedKernels.cmake defines; users include base/embedded.h.
#pragma once

#include <string_view>
#include <vector>

namespace weft {

struct EmbeddedFile {
  std::string_view path; // relative to the source tree
  std::string_view text;
};

const std::vector<EmbeddedFile> &embedded_files();

} // namespace weft
