// Files that a user, or a file of a user, names for reading. Only regular files are read: a pipe or
// a device would keep the program waiting, or never end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/host_array.h"

namespace weft {

// What messages say of a file.
struct InputFileWords {
  std::string what;    // "mesh file"
  std::string allowed; // "a Gmsh file (.msh)"
  std::string remedy = "check the path and its permissions";
  std::string where = {}; // who names the file ("case.toml:4: [mesh] file"); empty: the user
  std::uint64_t max_bytes = UINT64_MAX;
};

// The bytes of a regular file. Throws an input error at once for whatever else the path leads to,
// for what can't be read and for what is larger than `max_bytes`.
HostArray<char> read_input_file(const std::string &path, const InputFileWords &words);
std::string read_input_text(const std::string &path, const InputFileWords &words);

// The same checks for files that a library opens itself.
void require_input_file(const std::string &path, const InputFileWords &words);

} // namespace weft
