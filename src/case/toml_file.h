// TOML text with its places: parsing, "--set" overrides, tables in the order of the file.
#pragma once

#include <optional>
#include <string>
#include <toml++/toml.h>
#include <vector>

#include "base/source_text.h"

namespace weft {

// A key with its value. Holds a pointer into the parsed table, which must outlive it.
struct Entry {
  std::string key;  // "tolerance"
  std::string path; // "[solver] newton.tolerance"
  std::string file;
  int line = 0; // 0: from the command line, `file` is then the argument
  const toml::node *value = nullptr;

  // "case.toml:12: [solver] newton.tolerance"
  std::string where() const;
};

// Parses TOML; `name` appears in messages. Errors (input): syntax (file, line, column, what), text
// over a megabyte, keys nested deeper than any case needs.
toml::table parse_toml(const std::string &text, const std::string &name);

// The text of a file, for parse_toml. Errors (input): it does not exist, cannot be read or is over
// a megabyte. `what` says what the file should have been: "case file"; `where`: who names it, see
// InputFileWords.
std::string read_toml_text(const std::string &path, const std::string &what,
                           const std::string &where = {});

// Whether "--set" gave the value.
bool is_of_command_line(const Entry &entry);

// Applies the "--set" argument "a.b=value" to `root`: the value is TOML, or else a bare string.
// Errors (input) name the argument.
void apply_override(toml::table &root, const std::string &argument);

// Moves the values of `from`, with their places, into `into`: tables that both have are merged, all
// else is replaced.
void merge_tables(toml::table &into, toml::table &from);

// The entries of a table in the order of the file, those from the command line last.
// `parent` is null for the root.
std::vector<Entry> entries_of(const toml::table &table, const Entry *parent);

// An element of an array, with its own line.
Entry element_of(const Entry &array, std::size_t index);

// The value of a whole or real number as double; empty for other values.
std::optional<double> number_in(const toml::node &value);

// "the number 5", "the text "abc"", "a table", ...
std::string describe(const toml::node &value);

} // namespace weft
