// Declarations of single values that are kept in a variable, and values out of the TOML.
#pragma once

#include <optional>

#include "case/declaration.h"

namespace weft {

// A key whose value goes into `target`; the default in the reference page is what `target` holds
// now.
Declaration bind_text(std::string key, std::string &target, std::string description,
                      std::vector<std::string> allowed = {}, std::vector<std::string> later = {});
Declaration bind_integer(std::string key, int &target, std::string description, Range range = {});
Declaration bind_real(std::string key, double &target, std::string description, Range range = {});
Declaration bind_boolean(std::string key, bool &target, std::string description);

// A table of the root.
Declaration declare_table(std::string key, std::string description,
                          std::vector<Declaration> children);
// A key that is checked here and read by the table it is in.
Declaration declare_key(std::string key, unsigned types, std::string description);

// The entry of a table; empty when it has no such key.
std::optional<Entry> child_of(const Entry &table, const std::string &key);

// Values of entries whose type was checked.
std::string text_of(const Entry &entry);
int integer_of(const Entry &entry);
double real_of(const Entry &entry);
std::vector<double> reals_of(const Entry &entry);
// Of a text or an array; of entries that are not checked yet, what is a text of them.
std::vector<std::string> texts_of(const Entry &entry);
// A number, text or array as an expression: [1, "a"] becomes "[1, a]". Error (input): an empty
// text, a number that is not finite.
SourceText math_of(const Entry &entry);
std::vector<SourceText> maths_of(const Entry &entry);

// The entry of a list with that name, or a new one: what a later file says replaces the earlier.
template <typename Spec>
Spec &named(std::vector<Spec> &list, std::string Spec::*name, const std::string &value) {
  for (Spec &spec : list)
    if (spec.*name == value)
      return spec;
  Spec &spec = list.emplace_back();
  spec.*name = value;
  return spec;
}

} // namespace weft
