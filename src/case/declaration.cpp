#include "case/declaration.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "case/words_of_others.h"

namespace weft {

namespace {

struct TypeName {
  unsigned flag;
  const char *name;
};
constexpr TypeName names_of_types[] = {
    {type_text, "text"},
    {type_boolean, "true or false"},
    {type_integer, "whole number"},
    {type_real, "number"},
    {type_math, "expression (number, text or array)"},
    {type_table, "table"},
    {type_texts, "array of texts"},
    {type_integers, "array of whole numbers"},
    {type_reals, "array of numbers"},
    {type_points, "array of points"},
    {type_maths, "array of expressions"},
    {type_pairs, "array of pairs of texts"},
    {type_tables, "array of tables"},
};

template <typename Test> bool all_elements(const toml::node &value, Test test) {
  const toml::array *array = value.as_array();
  return array != nullptr && std::all_of(array->begin(), array->end(), test);
}

bool is_number(const toml::node &value) {
  return value.is_number();
}
bool is_text(const toml::node &value) {
  return value.is_string();
}
bool is_math(const toml::node &value) {
  return value.is_number() || value.is_string() ||
         (all_elements(value, is_math) && !value.as_array()->empty());
}
bool is_point(const toml::node &value) {
  return all_elements(value, is_number);
}
bool is_table(const toml::node &value) {
  return value.is_table();
}
bool is_pair(const toml::node &value) {
  return all_elements(value, is_text) && value.as_array()->size() == 2;
}

bool has_type(const toml::node &value, unsigned flag) {
  switch (flag) {
  case type_text:
    return value.is_string();
  case type_boolean:
    return value.is_boolean();
  case type_integer:
    return value.is_integer();
  case type_real:
    return value.is_number();
  case type_math:
    return is_math(value);
  case type_table:
    return value.is_table();
  case type_texts:
    return all_elements(value, is_text);
  case type_integers:
    return all_elements(value, [](const toml::node &n) { return n.is_integer(); });
  case type_reals:
    return all_elements(value, is_number);
  case type_points:
    return all_elements(value, is_point);
  case type_maths:
    return all_elements(value, is_math);
  case type_pairs:
    return all_elements(value, is_pair);
  case type_tables:
    return all_elements(value, is_table);
  }
  return false;
}

void check_type(const Entry &entry, const Declaration &d) {
  for (const auto &type : names_of_types)
    if ((d.types & type.flag) != 0 && has_type(*entry.value, type.flag))
      return;
  throw Error(ErrorKind::input, {.what = "a value of the wrong type",
                                 .where = entry.where(),
                                 .found = describe(*entry.value),
                                 .allowed = type_names(d.types)});
}

// Calls for the value itself, or for each element of arrays in it.
void for_each_value(const Entry &entry, const std::function<void(const Entry &)> &body) {
  const toml::array *array = entry.value->as_array();
  if (array == nullptr)
    return body(entry);
  for (std::size_t i = 0; i < array->size(); ++i)
    for_each_value(element_of(entry, i), body);
}

void check_number(const Entry &entry, const Declaration &d) {
  const auto number = number_in(*entry.value);
  if (!number || (d.types & (type_math | type_maths)) != 0)
    return;
  // Whole numbers are kept in 32 bits.
  const bool fits =
      entry.value->is_integer() ? std::abs(*number) < 2147483648.0 : std::isfinite(*number);
  const Range &r = d.range;
  if (!fits || !(*number > r.above && *number >= r.at_least && *number <= r.at_most))
    throw Error(ErrorKind::input,
                {.what = "a number out of range",
                 .where = entry.where(),
                 .found = describe(*entry.value),
                 .allowed = r.text().empty() ? "finite, whole numbers below 2^31" : r.text()});
}

void check_text(const Entry &entry, const Declaration &d) {
  if (!entry.value->is_string() || d.allowed.empty())
    return;
  const std::string &text = entry.value->as_string()->get();
  const auto among = [&](const std::vector<std::string> &list) {
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  if (among(d.allowed))
    return;
  if (among(d.later))
    throw Error(ErrorKind::unsupported, {.what = fmt::format("{} = \"{}\" yet", d.key, text),
                                         .where = entry.where(),
                                         .allowed = join_names(d.allowed)});
  std::string remedy = remedy_for_word_of_others(d.key, text);
  if (const std::string nearest = nearest_name(text, d.allowed); remedy.empty() && !nearest.empty())
    remedy = fmt::format("did you mean \"{}\"?", nearest);
  throw Error(ErrorKind::input, {.what = "an unknown value",
                                 .where = entry.where(),
                                 .found = fmt::format("\"{}\"", text),
                                 .allowed = join_names(d.allowed),
                                 .remedy = remedy});
}

const Declaration &find_declaration(const Entry &entry,
                                    const std::vector<Declaration> &declarations) {
  std::vector<std::string> known;
  for (const auto &d : declarations) {
    if (d.key == entry.key || d.any_key())
      return d;
    known.push_back(d.key);
  }
  const std::string nearest = nearest_name(entry.key, known);
  throw Error(ErrorKind::input,
              {.what = fmt::format("unknown {} \"{}\"", entry.value->is_table() ? "table" : "key",
                                   entry.key),
               .where = entry.where(),
               .allowed = join_names(known),
               .remedy = nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)});
}

} // namespace

std::string Range::text() const {
  std::string text;
  if (above > -std::numeric_limits<double>::infinity())
    text = fmt::format("> {}", format_real(above));
  if (at_least > -std::numeric_limits<double>::infinity())
    text = fmt::format(">= {}", format_real(at_least));
  if (at_most < std::numeric_limits<double>::infinity())
    text += (text.empty() ? "<= " : ", <= ") + format_real(at_most);
  return text;
}

std::string type_names(unsigned types) {
  std::string text;
  for (const auto &type : names_of_types)
    if ((types & type.flag) != 0)
      text += (text.empty() ? "" : " or ") + std::string(type.name);
  return text;
}

void read_table(const toml::table &table, const Entry *place,
                const std::vector<Declaration> &declarations) {
  for (const Entry &entry : entries_of(table, place)) {
    const Declaration &d = find_declaration(entry, declarations);
    check_type(entry, d);
    for_each_value(entry, [&](const Entry &value) {
      check_number(value, d);
      check_text(value, d);
    });
    for_each_value(entry, [&](const Entry &value) {
      if (value.value->is_table())
        read_table(*value.value->as_table(), &value, d.children);
    });
    if (d.read)
      d.read(entry);
  }
}

} // namespace weft
