// results.json as a report reads it: a stranger's file, in which anything may stand.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft {

class ResultsFile {
public:
  // Reads results.json of a run's folder. Errors: input (missing, no JSON object).
  explicit ResultsFile(const std::string &folder);

  // By the path of keys, "solver/reason". What is missing, or of another type, is empty.
  std::string text(const std::string &path) const;
  std::optional<double> number(const std::string &path) const;
  bool is_true(const std::string &path) const;
  std::vector<std::string> texts(const std::string &path) const;
  // The entries of a list or of an object with their keys; null where there is none.
  const nlohmann::ordered_json &value(const std::string &path) const;

private:
  nlohmann::ordered_json json_;
};

// The same of one value.
std::string text_of(const nlohmann::ordered_json &value, const std::string &key);
std::optional<double> number_of(const nlohmann::ordered_json &value, const std::string &key);
bool is_true(const nlohmann::ordered_json &value, const std::string &key);

} // namespace weft
