#include "tune/database/tuning_text.h"

#include <cmath>
#include <fmt/format.h>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/json_text.h"
#include "base/printable.h"
#include "base/version.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 1;
constexpr const char *header_name = "weft_tuning";

std::string line_of(const Json &json) {
  return json_text(json) + "\n"; // texts of drivers need not be UTF-8
}

void add_key(Json &json, const TuningKey &key) {
  json["kernel"] = key.kernel;
  json["problem"] = key.problem;
  json["size_class"] = key.size_class;
  json["device"] = key.device;
  json["architecture"] = key.architecture;
  json["vendor"] = key.vendor;
  json["driver"] = key.driver;
  json["generator"] = key.generator;
}

void add_provenance(Json &json, const Provenance &from) {
  json["time"] = time_text(from.time_us);
  json["program"] = from.program;
}

Json to_json(const TrialRecord &trial) {
  Json json;
  json["variant"] = to_string(trial.variant);
  json["predicted_s"] = trial.predicted_s;
  json["validated"] = trial.validated;
  json["rejected"] = trial.rejected;
  json["seconds"] = trial.seconds;
  return json;
}

Json to_json(const ResultRecord &record) {
  Json json;
  add_key(json, record.key);
  json["variant"] = to_string(record.variant);
  json["seconds"] = record.seconds;
  json["predicted_s"] = record.predicted_s;
  add_provenance(json, record.from);
  return json;
}

Json to_json(const SearchRecord &record) {
  const TuningOutcome &outcome = record.outcome;
  Json json;
  add_key(json, record.key);
  json["best"] = outcome.best ? Json(to_string(*outcome.best)) : Json(nullptr);
  json["best_s"] = outcome.best_s;
  json["predicted_s"] = outcome.predicted_s;
  json["first_choice"] = to_string(outcome.first_choice);
  json["first_choice_s"] = outcome.first_choice_s;
  json["num_candidates"] = outcome.num_candidates;
  json["spent_s"] = outcome.spent_s;
  json["settled"] = outcome.settled;
  add_provenance(json, record.from);
  json["trials"] = Json::array();
  for (const TrialRecord &trial : outcome.trials)
    json["trials"].push_back(to_json(trial));
  return json;
}

Json to_json(const KeptMachine &record) {
  Json json;
  json["name"] = record.name;
  json["device"] = record.device;
  json["architecture"] = record.architecture;
  json["vendor"] = record.vendor;
  json["driver"] = record.driver;
  json["generator"] = record.generator;
  add_provenance(json, record.from);
  json["figures"] = Json::object();
  for (const auto &[name, figure] : record.figures.figures)
    json["figures"][name] = {figure.median, figure.low, figure.high};
  return json;
}

// The members of one object, each asked for once; those nobody asked for are unknown.
class Members {
public:
  Members(const Json &json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object())
      fail("an object is expected", json.dump());
  }

  const Json &at(const char *name) {
    known_.insert(name);
    const auto member = json_.find(name);
    if (member == json_.end())
      fail(fmt::format("\"{}\" is missing", name), "");
    return *member;
  }
  std::string text(const char *name, bool may_be_empty = false) {
    const Json &value = at(name);
    if (!value.is_string() || (!may_be_empty && value.get<std::string>().empty()))
      fail(fmt::format("\"{}\" is no text", name), value.dump());
    return value.get<std::string>();
  }
  bool truth(const char *name) {
    const Json &value = at(name);
    if (!value.is_boolean())
      fail(fmt::format("\"{}\" is neither true nor false", name), value.dump());
    return value.get<bool>();
  }
  double seconds(const char *name) { return number(at(name), name); }
  int count(const char *name) {
    const Json &value = at(name);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 1000000000)
      fail(fmt::format("\"{}\" is no count", name), value.dump());
    return value.get<int>();
  }
  std::vector<double> numbers(const char *name) {
    const Json &value = at(name);
    if (!value.is_array())
      fail(fmt::format("\"{}\" is no list", name), value.dump());
    std::vector<double> numbers;
    for (const Json &entry : value)
      numbers.push_back(number(entry, name));
    return numbers;
  }
  Variant variant(const char *name) {
    const std::string text = this->text(name, true);
    try {
      return variant_from_string(text);
    } catch (const Error &error) {
      fail(error.diagnostic().what, text);
    }
  }
  void finish() const {
    for (const auto &member : json_.items())
      if (known_.count(member.key()) == 0)
        fail("there is a member that is not known", "\"" + member.key() + "\"");
  }

  [[noreturn]] void fail(const std::string &what, const std::string &found) const {
    throw Error(ErrorKind::input,
                {.what = what,
                 .where = where_,
                 .found = shortened(found, 200),
                 .allowed = "what weft tuned export writes",
                 .remedy = "correct or remove the line; nothing was taken from the file"});
  }
  const std::string &where() const { return where_; }

private:
  // Times and rates: not negative. What is not known (null) reads as 0.
  double number(const Json &value, const char *name) const {
    if (value.is_null())
      return 0;
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
      fail(fmt::format("\"{}\" is no number above 0", name), value.dump());
    return value.get<double>();
  }

  const Json &json_;
  std::string where_;
  std::set<std::string> known_;
};

TuningKey read_key(Members &members) {
  TuningKey key{.kernel = members.text("kernel"),
                .problem = members.text("problem"),
                .size_class = members.text("size_class", true),
                .device = members.text("device"),
                .architecture = members.text("architecture", true),
                .vendor = members.text("vendor", true),
                .driver = members.text("driver"),
                .generator = members.text("generator")};
  return key;
}

Provenance read_provenance(Members &members) {
  const std::string time = members.text("time");
  const std::optional<std::int64_t> time_us = time_from_text(time);
  if (!time_us)
    members.fail("\"time\" is no time like 2026-11-21T12:00:00.123456Z", time);
  return {*time_us, members.text("program"), true};
}

ResultRecord read_result(Members &members) {
  ResultRecord record{.key = read_key(members),
                      .from = read_provenance(members),
                      .variant = members.variant("variant"),
                      .seconds = members.seconds("seconds"),
                      .predicted_s = members.seconds("predicted_s")};
  members.finish();
  if (record.seconds <= 0)
    members.fail("\"seconds\" is no number above 0", fmt::format("{}", record.seconds));
  return record;
}

TrialRecord read_trial(const Json &json, const std::string &where) {
  Members members(json, where);
  TrialRecord trial{.variant = members.variant("variant"),
                    .predicted_s = members.seconds("predicted_s"),
                    .seconds = members.numbers("seconds"),
                    .rejected = members.text("rejected", true),
                    .validated = members.truth("validated")};
  members.finish();
  return trial;
}

SearchRecord read_search(Members &members) {
  SearchRecord record{.key = read_key(members), .from = read_provenance(members)};
  TuningOutcome &outcome = record.outcome;
  if (!members.at("best").is_null())
    outcome.best = members.variant("best");
  outcome.best_s = members.seconds("best_s");
  outcome.predicted_s = members.seconds("predicted_s");
  outcome.first_choice = members.variant("first_choice");
  outcome.first_choice_s = members.seconds("first_choice_s");
  outcome.num_candidates = members.count("num_candidates");
  outcome.spent_s = members.seconds("spent_s");
  outcome.settled = members.truth("settled");
  const Json &trials = members.at("trials");
  if (!trials.is_array())
    members.fail("\"trials\" is no list", trials.dump());
  for (const Json &trial : trials)
    outcome.trials.push_back(read_trial(trial, members.where()));
  members.finish();
  return record;
}

KeptMachine read_machine(Members &members) {
  KeptMachine record{.device = members.text("device"),
                     .architecture = members.text("architecture", true),
                     .vendor = members.text("vendor", true),
                     .driver = members.text("driver"),
                     .name = members.text("name"),
                     .generator = members.text("generator"),
                     .from = read_provenance(members)};
  Members figures(members.at("figures"), members.where());
  for (const auto &member : members.at("figures").items()) {
    const std::vector<double> values = figures.numbers(member.key().c_str());
    if (values.size() != 3 || values[1] > values[0] || values[0] > values[2])
      members.fail(fmt::format("\"{}\" is no median, low and high", member.key()),
                   member.value().dump());
    record.figures.figures[member.key()] = {values[0], values[1], values[2]};
  }
  members.finish();
  return record;
}

void check_header(Members &members) {
  if (const int version = members.count(header_name); version != format_version)
    members.fail(fmt::format("the text is of format {}", version),
                 fmt::format("this version of Weft reads format {}", format_version));
  members.text("program");
  members.finish();
}

Json parse(const std::string &line, const std::string &where) {
  if (std::optional<Json> json = parse_json(line))
    return std::move(*json);
  throw Error(ErrorKind::input,
              {.what = "the line is no JSON object",
               .where = where,
               .found = shortened(line, 200),
               .allowed = "what weft tuned export writes",
               .remedy = "correct or remove the line; nothing was taken from the file"});
}

} // namespace

std::string write_tuning_text(const TuningContents &records) {
  std::string text = line_of({{header_name, format_version}, {"program", version()}});
  for (const KeptMachine &record : records.machines)
    text += line_of({{"machine", to_json(record)}});
  for (const ResultRecord &record : records.results)
    text += line_of({{"result", to_json(record)}});
  for (const SearchRecord &record : records.searches)
    text += line_of({{"search", to_json(record)}});
  return text;
}

TuningContents read_tuning_text(const std::string &text, const std::string &where) {
  TuningContents records;
  std::istringstream lines(text);
  int number = 0;
  bool header = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string place = fmt::format("{}:{}", where, ++number);
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    const Json json = parse(line, place);
    Members members(json, place);
    if (!header) {
      check_header(members);
      header = true;
      continue;
    }
    const std::string kind = json.size() == 1 ? json.begin().key() : "";
    if (kind != "machine" && kind != "result" && kind != "search")
      members.fail("a line is one machine, result or search", line);
    Members record(json.front(), place);
    if (kind == "machine")
      records.machines.push_back(read_machine(record));
    else if (kind == "result")
      records.results.push_back(read_result(record));
    else
      records.searches.push_back(read_search(record));
  }
  if (!header)
    throw Error(ErrorKind::input, {.what = "the text of a tuning database is empty",
                                   .where = where,
                                   .allowed = "what weft tuned export writes"});
  return records;
}

} // namespace weft
