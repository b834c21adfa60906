// JSON as text: read with bounds, and written whatever bytes its texts hold.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

// Levels of objects and arrays in one another that are read: what goes through a value, and what
// frees it, is recursion.
constexpr int max_json_depth = 64;

// Empty where the text is no JSON, or nested more deeply.
std::optional<nlohmann::ordered_json> parse_json(std::string_view text);

// `indent` < 0: one line. Bytes that are no UTF-8, such as those of a file's name, become U+FFFD.
std::string json_text(const nlohmann::ordered_json &json, int indent = -1);

} // namespace weft
