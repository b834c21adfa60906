#include "output/field_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace weft {

namespace {

constexpr std::string_view head = "fields_", whole_tail = ".vtu", pieces_tail = ".pvtu";

bool is_number(std::string_view text, std::size_t fewest_digits) {
  return text.size() >= fewest_digits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What stands between; empty where the name begins or ends with something else.
std::string_view middle(std::string_view name, std::string_view tail) {
  if (!name.starts_with(head) || !name.ends_with(tail) || name.size() < head.size() + tail.size())
    return {};
  return name.substr(head.size(), name.size() - head.size() - tail.size());
}

} // namespace

std::string field_file(std::int64_t number, bool in_pieces) {
  return fmt::format("{}{:04}{}", head, number, in_pieces ? pieces_tail : whole_tail);
}

bool is_field_file(const std::string &name) {
  constexpr std::size_t digits = 4; // that field_file() writes at least
  return is_number(middle(name, whole_tail), digits) ||
         is_number(middle(name, pieces_tail), digits);
}

std::string piece_of(const std::string &file, int rank) {
  return fmt::format("{}_r{}{}", file.substr(0, file.size() - pieces_tail.size()), rank,
                     whole_tail);
}

std::string file_of_piece(const std::string &name) {
  const std::string_view numbers = middle(name, whole_tail);
  const std::size_t mark = numbers.find("_r");
  if (mark == std::string_view::npos || !is_number(numbers.substr(mark + 2), 1))
    return {};
  const std::string file = fmt::format("{}{}{}", head, numbers.substr(0, mark), pieces_tail);
  return is_field_file(file) ? file : std::string();
}

} // namespace weft
