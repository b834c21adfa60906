// Whether a script in Gmsh's language does no more than geometries need: it may make shapes and
// mesh sizes, and read the files that it names in plain words; it may not run programs, write files
// or compute the names of files. What is allowed is listed (geo_words.h), whatever is not is
// refused.
//
// The words are looked at wherever they stand, not by the grammar of statements alone: gmsh goes on
// behind its syntax errors, and jumps back to lines.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mesh/gmsh/geo_tokens.h"

namespace weft {

// A file that a script includes or merges by a name in quotes.
struct GeoReference {
  std::size_t token = 0; // the name
  std::string name;
  int line = 0;
  bool included = false; // read as a script, whatever it is called
};

// Names that a script defines, and those that it uses with the line where it does so first. They
// are compared when all files are known: they share their names.
struct GeoScript {
  std::vector<GeoReference> references;
  std::map<std::string, int, std::less<>> defined, used;
};

// Throws an input error with file and line where something is not allowed; `file` is for messages.
GeoScript check_geo(const std::vector<GeoToken> &tokens, const std::string &file);

// The same for what is wrong with the text itself.
[[noreturn]] void refuse_geo(const std::string &file, int line, const std::string &what,
                             const std::string &found = "");

} // namespace weft
