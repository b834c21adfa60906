// The declarations of a file's tables and keys: the reader, its error messages and the reference
// page are all made from them.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "case/toml_file.h"

namespace weft {

// Kinds of values; a key may take several of them (type_text | type_table).
enum TypeFlags : unsigned {
  type_text = 1,
  type_boolean = 2,
  type_integer = 4,
  type_real = 8,
  type_math = 16, // a number, a text, or (nested) arrays of them
  type_table = 32,
  type_texts = 64, // arrays of ...
  type_integers = 128,
  type_reals = 256,
  type_points = 512, // arrays of arrays of numbers
  type_maths = 1024,
  type_pairs = 2048,  // arrays of [text, text]
  type_tables = 4096, // arrays of tables
};

// Bounds of a number, or of each number of an array.
struct Range {
  double above = -std::numeric_limits<double>::infinity(); // exclusive
  double at_least = -std::numeric_limits<double>::infinity();
  double at_most = std::numeric_limits<double>::infinity();
  std::string text() const; // "> 0", "1 to 2"; empty without bounds
};

struct Declaration {
  std::string key; // "<name>" stands for names that the user chooses
  unsigned types = type_table;
  std::string default_text; // empty: none
  std::string description;
  Range range;
  std::vector<std::string> allowed; // of a text; empty = any
  std::vector<std::string> later;   // texts of the language that this version does not know yet
  bool in_physics = false;          // of a table of the root: physics files may have it
  // Takes the value over, once its type, range and texts were checked and, for tables, their
  // children have been read.
  std::function<void(const Entry &)> read;
  std::vector<Declaration> children; // of a table, or of each of several

  bool any_key() const { return key.starts_with("<"); }
};

// "number or table"
std::string type_names(unsigned types);

// Reads all entries of a table in the file's order.
// Errors (input): unknown key, with the nearest known one; wrong type; number out of range; unknown
// text. Error (unsupported): a text that the declarations call a later version's.
void read_table(const toml::table &table, const Entry *place,
                const std::vector<Declaration> &declarations);

// The declarations as Markdown: a list of the keys of the root, then one section a table of it.
std::string markdown_of(const std::vector<Declaration> &declarations);

} // namespace weft
