// Choices that a user makes by their names; the nearest name for who mistyped.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace weft {

// The entry of `known` with the smallest edit distance to `name`; empty when none is close: at most
// half of the letters differ, of three letters one.
std::string nearest_name(const std::string &name, const std::vector<std::string> &known);

// "a, b, c" in the given order.
std::string join_names(const std::vector<std::string> &names);

// The kind of that name. Throws an input error that lists the names; `key` is what the choice is
// called, `where` where it stands.
template <typename Kind>
Kind named_kind(const std::map<std::string, Kind> &kinds, const std::string &name,
                const std::string &key, const std::string &where) {
  if (const auto found = kinds.find(name); found != kinds.end())
    return found->second;
  std::vector<std::string> known;
  for (const auto &[allowed, kind] : kinds)
    known.push_back(allowed);
  throw Error(ErrorKind::input, {.what = "There is no such " + key + ".",
                                 .where = where,
                                 .found = name,
                                 .allowed = join_names(known),
                                 .remedy = "Choose one of these."});
}

} // namespace weft
