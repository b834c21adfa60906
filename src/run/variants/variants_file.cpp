#include "run/variants/variants_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json_text.h"
#include "base/system/input_file.h"

namespace weft {

std::map<std::string, Variant> read_variants(const std::string &path) {
  const std::string content =
      read_input_text(path, {.what = "file of variants",
                             .allowed = "JSON",
                             .remedy = "give the results.json of an earlier run"});
  const std::optional<nlohmann::ordered_json> parsed = parse_json(content);
  constexpr const char *allowed =
      R"({"variants": {"fem_integrate": "strategy=block geometry=on_the_fly ..."}})";
  const auto wrong = [&](const std::string &what, const std::string &found) {
    return Error(ErrorKind::input,
                 {.what = what, .where = path, .found = found, .allowed = allowed});
  };
  if (!parsed)
    throw wrong(fmt::format("the file of variants is no JSON, or nested in more than {} levels",
                            max_json_depth),
                "");
  const nlohmann::ordered_json &json =
      parsed->is_object() && parsed->contains("variants") ? parsed->at("variants") : *parsed;
  if (!json.is_object() || json.empty())
    throw wrong("the file has no variants", json.is_object() ? "" : json.type_name());
  std::map<std::string, Variant> variants;
  for (const auto &[kernel, text] : json.items()) {
    if (!text.is_string())
      throw wrong("the variant of " + kernel + " is no text", text.type_name());
    try {
      variants[kernel] = variant_from_string(text.get<std::string>());
    } catch (const Error &error) {
      Diagnostic diagnostic = error.diagnostic();
      diagnostic.where = path + ": " + kernel;
      throw Error(error.kind(), diagnostic);
    }
  }
  return variants;
}

} // namespace weft
