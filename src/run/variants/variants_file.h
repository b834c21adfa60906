// The choices of an earlier run, to be replayed: --variants FILE.
#pragma once

#include <map>
#include <string>

#include "tune/search/search_space.h"

namespace weft {

// By kernel. `path`: a results.json (its `variants`), or an object {"kernel": "parameter=value
// ..."} alone. Errors: input, naming the file and what is wrong in it; system where it can't be
// read.
std::map<std::string, Variant> read_variants(const std::string &path);

} // namespace weft
