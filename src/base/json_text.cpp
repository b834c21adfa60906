#include "base/json_text.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

struct TooDeep {};

} // namespace

std::optional<Json> parse_json(std::string_view text) {
  try {
    Json json = Json::parse(
        text,
        [](int depth, Json::parse_event_t, Json &) {
          if (depth > max_json_depth)
            throw TooDeep();
          return true;
        },
        false);
    return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
  } catch (const TooDeep &) {
    return {};
  }
}

std::string json_text(const Json &json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace weft
