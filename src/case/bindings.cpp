#include "case/bindings.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/number.h"

namespace weft {

namespace {

std::string math_text(const Entry &entry) {
  const toml::node &value = *entry.value;
  if (const auto *integer = value.as_integer())
    return std::to_string(integer->get());
  if (const auto *array = value.as_array()) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < array->size(); ++i)
      parts.push_back(math_text(element_of(entry, i)));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (const auto *real = value.as_floating_point()) {
    if (!std::isfinite(real->get()))
      throw Error(ErrorKind::input, {.what = "an expression must be finite",
                                     .where = entry.where(),
                                     .found = describe(value)});
    return format_real(real->get());
  }
  const std::string &text = value.as_string()->get();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(
        ErrorKind::input,
        {.what = "an empty expression", .where = entry.where(), .remedy = "write 0 for nothing"});
  return text;
}

} // namespace

Declaration declare_key(std::string key, unsigned types, std::string description) {
  Declaration d;
  d.key = std::move(key);
  d.types = types;
  d.description = std::move(description);
  return d;
}

Declaration declare_table(std::string key, std::string description,
                          std::vector<Declaration> children) {
  Declaration d = declare_key(std::move(key), type_table, std::move(description));
  d.children = std::move(children);
  return d;
}

Declaration bind_text(std::string key, std::string &target, std::string description,
                      std::vector<std::string> allowed, std::vector<std::string> later) {
  Declaration d = declare_key(std::move(key), type_text, std::move(description));
  d.default_text = target.empty() ? "" : fmt::format("\"{}\"", target);
  d.allowed = std::move(allowed);
  d.later = std::move(later);
  d.read = [&target](const Entry &e) { target = text_of(e); };
  return d;
}

Declaration bind_integer(std::string key, int &target, std::string description, Range range) {
  Declaration d = declare_key(std::move(key), type_integer, std::move(description));
  d.default_text = std::to_string(target);
  d.range = range;
  d.read = [&target](const Entry &e) { target = integer_of(e); };
  return d;
}

Declaration bind_real(std::string key, double &target, std::string description, Range range) {
  Declaration d = declare_key(std::move(key), type_real, std::move(description));
  d.default_text = format_real(target);
  d.range = range;
  d.read = [&target](const Entry &e) { target = real_of(e); };
  return d;
}

Declaration bind_boolean(std::string key, bool &target, std::string description) {
  Declaration d = declare_key(std::move(key), type_boolean, std::move(description));
  d.default_text = target ? "true" : "false";
  d.read = [&target](const Entry &e) { target = e.value->as_boolean()->get(); };
  return d;
}

std::optional<Entry> child_of(const Entry &table, const std::string &key) {
  for (Entry &entry : entries_of(*table.value->as_table(), &table))
    if (entry.key == key)
      return std::move(entry);
  return {};
}

std::string text_of(const Entry &entry) {
  return entry.value->as_string()->get();
}
int integer_of(const Entry &entry) {
  return static_cast<int>(entry.value->as_integer()->get());
}
double real_of(const Entry &entry) {
  return *number_in(*entry.value);
}

std::vector<double> reals_of(const Entry &entry) {
  std::vector<double> values;
  for (const auto &element : *entry.value->as_array())
    values.push_back(*number_in(element));
  return values;
}

std::vector<std::string> texts_of(const Entry &entry) {
  if (entry.value->is_string())
    return {text_of(entry)};
  std::vector<std::string> texts;
  if (const toml::array *array = entry.value->as_array())
    for (const auto &element : *array)
      if (const auto *text = element.as_string())
        texts.push_back(text->get());
  return texts;
}

SourceText math_of(const Entry &entry) {
  return {.text = math_text(entry), .file = entry.file, .line = entry.line, .key = entry.path};
}

std::vector<SourceText> maths_of(const Entry &entry) {
  std::vector<SourceText> expressions;
  for (std::size_t i = 0; i < entry.value->as_array()->size(); ++i)
    expressions.push_back(math_of(element_of(entry, i)));
  return expressions;
}

} // namespace weft
