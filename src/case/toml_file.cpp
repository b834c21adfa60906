#include "case/toml_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/system/input_file.h"

namespace weft {

namespace {

constexpr std::size_t max_text_bytes = 1 << 20;
// Dotted keys make nested tables, which are freed by recursion; real cases use three levels.
constexpr int max_key_parts = 32;
const std::string override_prefix = "--set ";
constexpr std::size_t longest_shown = 80; // of a text in a message

bool is_key_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '"' ||
         c == '\'' || c == ' ' || c == '\t';
}

void check_nesting(const std::string &text, const std::string &name) {
  int line = 1;
  int dots = 0;
  for (const char c : text) {
    if (c == '.')
      ++dots;
    else if (!is_key_character(c))
      dots = 0;
    if (c == '\n')
      ++line;
    if (dots > max_key_parts)
      throw Error(ErrorKind::input, {.what = "a dotted key is nested too deeply",
                                     .where = fmt::format("{}:{}", name, line),
                                     .allowed = fmt::format("at most {} parts", max_key_parts)});
  }
}

void check_size(std::uintmax_t bytes, const std::string &name) {
  if (bytes > max_text_bytes)
    throw Error(ErrorKind::input, {.what = "the file is too large for a case",
                                   .where = name,
                                   .found = fmt::format("{} bytes", bytes),
                                   .allowed = fmt::format("at most {} bytes", max_text_bytes)});
}

bool from_command_line(const std::string &file) {
  return file.starts_with(override_prefix);
}

// How messages name an argument of "--set".
std::string shown_override(const std::string &argument) {
  return override_prefix + shortened(argument, longest_shown);
}

Error override_error(const std::string &argument, std::string what, const std::string &found) {
  return Error(ErrorKind::input, {.what = std::move(what),
                                  .where = shown_override(argument),
                                  .found = shortened(found, longest_shown),
                                  .allowed = "table.key=value, such as solver.tolerance=1e-8"});
}

// Position of the first '=' outside quotes.
std::size_t find_equals(const std::string &text) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\')
      ++i; // the next character is part of the text
    else if (quote != 0)
      quote = text[i] == quote ? 0 : quote;
    else if (text[i] == '"' || text[i] == '\'')
      quote = text[i];
    else if (text[i] == '=')
      return i;
  }
  return std::string::npos;
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      result += fmt::format("\\{}", c);
    else if (has_control_character({&c, 1}, false))
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      result += c;
  return result + "\"";
}

// Moves the values of `from` into `into`: tables are merged where they are part of the key's path,
// the last part replaces what was there. (A copy of a node would lose its place.)
void merge_path(toml::table &into, toml::table &from, std::size_t depth) {
  for (auto &&[key, value] : from) {
    toml::table *child = value.as_table();
    toml::table *existing = nullptr;
    if (toml::node *node = into.get(key.str()))
      existing = node->as_table();
    if (depth > 1 && child != nullptr && existing != nullptr)
      merge_path(*existing, *child, depth - 1);
    else
      value.visit(
          [&, &key = key](auto &concrete) { into.insert_or_assign(key, std::move(concrete)); });
  }
}

std::optional<toml::table> try_parse(const std::string &text) {
  try {
    return parse_toml(text, "");
  } catch (const Error &) {
    return {};
  }
}

// Number of parts of a dotted key of TOML; 0 where the text is none, or more than that.
std::size_t count_parts(const std::string &key) {
  if (key.find_first_of("\n\r") != std::string::npos)
    return 0;
  const std::optional<toml::table> parsed = try_parse(key + " = 0");
  std::size_t parts = 0;
  for (const toml::table *table = parsed ? &*parsed : nullptr; table != nullptr; ++parts) {
    if (table->size() != 1) // a comment, for one, has no key
      return 0;
    table = table->begin()->second.as_table();
  }
  return parts;
}

// The text is one value of TOML, after which no keys of its own go on.
bool is_one_value(const std::string &text) {
  const std::optional<toml::table> parsed = try_parse("value = " + text);
  return parsed && parsed->size() == 1;
}

// "[solver]", not "[verify] boxes[0]".
bool is_table_of_root(const std::string &path) {
  return path.starts_with("[") && path.ends_with("]") && path.find("] ") == std::string::npos;
}

// Names and texts come back in messages, results and names of files.
void refuse_control_characters(const Entry &e) {
  const auto refuse = [&](const char *what, std::string found, const char *allowed) {
    throw Error(ErrorKind::input,
                {.what = what, .where = e.where(), .found = std::move(found), .allowed = allowed});
  };
  if (has_control_character(e.key, false))
    refuse("a name with a control character", e.key, "names of letters, digits and signs");
  if (const auto *text = e.value->as_string(); text && has_control_character(text->get(), true))
    refuse("a text with a control character", describe(*e.value),
           "characters, tabs and the ends of lines");
  if (const toml::array *array = e.value->as_array())
    for (std::size_t i = 0; i < array->size(); ++i)
      refuse_control_characters(element_of(e, i));
  if (const toml::table *table = e.value->as_table())
    for (const Entry &child : entries_of(*table, &e))
      refuse_control_characters(child);
}

} // namespace

std::string Entry::where() const {
  return SourceText{.text = {}, .file = file, .line = line, .key = path}.where();
}

bool is_of_command_line(const Entry &entry) {
  return from_command_line(entry.file);
}

toml::table parse_toml(const std::string &text, const std::string &name) {
  check_size(text.size(), name);
  check_nesting(text, name);
  try {
    toml::table root = toml::parse(std::string_view(text), std::string_view(name));
    for (const Entry &e : entries_of(root, nullptr))
      refuse_control_characters(e);
    return root;
  } catch (const toml::parse_error &e) {
    const auto at = e.source().begin;
    throw Error(ErrorKind::input,
                {.what = fmt::format("this is not TOML: {}", e.description()),
                 .where = fmt::format("{}:{}:{}", name, at.line, at.column),
                 .remedy = "text goes in quotes, lists in [ ], inline tables in { } on one line"});
  }
}

std::string read_toml_text(const std::string &path, const std::string &what,
                           const std::string &where) {
  return read_input_text(path, {.what = what,
                                .allowed = "a TOML file, such as case.toml",
                                .where = where,
                                .max_bytes = max_text_bytes});
}

void apply_override(toml::table &root, const std::string &argument) {
  const std::size_t equals = find_equals(argument);
  if (equals == std::string::npos)
    throw override_error(argument, "a setting needs a key and a value", quoted(argument));
  const std::string key = argument.substr(0, equals);
  const std::string value = argument.substr(equals + 1);
  const std::size_t parts = count_parts(key);
  if (parts == 0)
    throw override_error(argument, "the key of a setting is not a dotted TOML key", quoted(key));
  const std::string text = is_one_value(value) ? value : quoted(value);
  toml::table setting = parse_toml(key + " = " + text, shown_override(argument));
  merge_path(root, setting, parts);
}

void merge_tables(toml::table &into, toml::table &from) {
  merge_path(into, from, std::numeric_limits<std::size_t>::max());
}

std::vector<Entry> entries_of(const toml::table &table, const Entry *parent) {
  struct Placed {
    Entry entry;
    std::uint32_t column;
  };
  std::vector<Placed> placed;
  for (auto &&[key, value] : table) {
    const toml::source_region &region = value.source().begin ? value.source() : key.source();
    Entry entry;
    entry.key = std::string(key.str());
    const bool is_plain =
        !entry.key.empty() && entry.key.find_first_of(" .[]") == std::string::npos;
    const std::string shown = is_plain ? entry.key : fmt::format("\"{}\"", entry.key);
    if (parent == nullptr)
      entry.path = value.is_table() ? fmt::format("[{}]", shown) : shown;
    else
      entry.path = parent->path + (is_table_of_root(parent->path) ? " " : ".") + shown;
    entry.file = region.path ? *region.path : (parent == nullptr ? "" : parent->file);
    entry.line = from_command_line(entry.file) ? 0 : static_cast<int>(region.begin.line);
    entry.value = &value;
    placed.push_back({std::move(entry), region.begin.column});
  }
  const auto rank = [](const Placed &p) {
    return std::tuple(from_command_line(p.entry.file), p.entry.line, p.column);
  };
  std::stable_sort(placed.begin(), placed.end(),
                   [&](const Placed &a, const Placed &b) { return rank(a) < rank(b); });
  std::vector<Entry> entries;
  for (auto &p : placed)
    entries.push_back(std::move(p.entry));
  return entries;
}

Entry element_of(const Entry &array, std::size_t index) {
  Entry element = array;
  element.value = array.value->as_array()->get(index);
  element.path = fmt::format("{}[{}]", array.path, index);
  if (element.line > 0 && element.value->source().begin)
    element.line = static_cast<int>(element.value->source().begin.line);
  return element;
}

std::optional<double> number_in(const toml::node &value) {
  if (const auto *integer = value.as_integer())
    return static_cast<double>(integer->get());
  if (const auto *real = value.as_floating_point())
    return real->get();
  return {};
}

std::string describe(const toml::node &value) {
  switch (value.type()) {
  case toml::node_type::string:
    return fmt::format("the text \"{}\"", shortened(value.as_string()->get(), longest_shown));
  case toml::node_type::integer:
    return fmt::format("the number {}", value.as_integer()->get());
  case toml::node_type::floating_point:
    return "the number " + format_real(value.as_floating_point()->get());
  case toml::node_type::boolean:
    return value.as_boolean()->get() ? "true" : "false";
  case toml::node_type::array:
    return fmt::format("an array of {}", value.as_array()->size());
  case toml::node_type::table:
    return "a table";
  default:
    return "a date or time";
  }
}

} // namespace weft
