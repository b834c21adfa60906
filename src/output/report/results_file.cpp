#include "output/report/results_file.h"

#include "base/error.h"
#include "base/json_text.h"
#include "base/system/input_file.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

const Json nothing;

constexpr std::uint64_t max_results_bytes = std::uint64_t{256} << 20;

const Json &entry(const Json &value, const std::string &key) {
  if (!value.is_object())
    return nothing;
  const auto found = value.find(key);
  return found == value.end() ? nothing : *found;
}

} // namespace

ResultsFile::ResultsFile(const std::string &folder) {
  const std::string path = folder + "/results.json";
  const InputFileWords words = {.what = "record of a run",
                                .allowed = "results.json in the folder of a run",
                                .remedy = "run the case first, or name the folder that its results "
                                          "are in",
                                .max_bytes = max_results_bytes};
  const std::optional<Json> json = parse_json(read_input_text(path, words));
  if (!json || !json->is_object())
    throw Error(ErrorKind::input, {.what = "the record of a run is no JSON object",
                                   .where = path,
                                   .allowed = words.allowed,
                                   .remedy = "run the case again"});
  json_ = *json;
}

const Json &ResultsFile::value(const std::string &path) const {
  const Json *at = &json_;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t slash = std::min(path.find('/', from), path.size());
    at = &entry(*at, path.substr(from, slash - from));
    from = slash + 1;
  }
  return *at;
}

std::string ResultsFile::text(const std::string &path) const {
  const Json &found = value(path);
  return found.is_string() ? found.get<std::string>() : std::string();
}

std::optional<double> ResultsFile::number(const std::string &path) const {
  const Json &found = value(path);
  return found.is_number() ? std::optional(found.get<double>()) : std::nullopt;
}

bool ResultsFile::is_true(const std::string &path) const {
  const Json &found = value(path);
  return found.is_boolean() && found.get<bool>();
}

std::vector<std::string> ResultsFile::texts(const std::string &path) const {
  std::vector<std::string> result;
  const Json &list = value(path);
  if (list.is_array())
    for (const Json &item : list)
      if (item.is_string())
        result.push_back(item.get<std::string>());
  return result;
}

std::string text_of(const Json &value, const std::string &key) {
  const Json &found = entry(value, key);
  return found.is_string() ? found.get<std::string>() : std::string();
}

std::optional<double> number_of(const Json &value, const std::string &key) {
  const Json &found = entry(value, key);
  return found.is_number() ? std::optional(found.get<double>()) : std::nullopt;
}

bool is_true(const Json &value, const std::string &key) {
  const Json &found = entry(value, key);
  return found.is_boolean() && found.get<bool>();
}

} // namespace weft
