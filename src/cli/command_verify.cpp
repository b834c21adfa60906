#include "cli/command_verify.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/names.h"
#include "base/system/atomic_file.h"
#include "cli/case_options.h"
#include "options/option_checks.h"
#include "output/expectations.h"
#include "ranks/first_speaks.h"
#include "run/input/user_case.h"
#include "run/verify/verify_space.h"
#include "run/verify/verify_time.h"

namespace weft {

namespace {

struct VerifyOptions : CaseOptions {
  int levels = 0;
  std::string cell, element; // of the combinations that are verified; empty: any
  bool expect = false;
  std::string json;
};

// An observed order may fall short of the expected one by this much.
constexpr double order_slack = 0.2;

// What was found of the case, or of one of its combinations.
struct Verified {
  Case c;
  std::vector<SpaceLevel> levels;
  std::optional<Error> failed; // the first failure of its numbers
};

bool in_time(const Case &c) {
  return !c.verify.expect_time.empty();
}
// Orders in time alone, where nothing is said of those in space.
bool in_space(const Case &c) {
  return !c.exact.empty() && (!in_time(c) || !c.verify.expect.empty());
}

void check_what_is_compared(const Case &c) {
  for (const auto &[name, order] : c.verify.expect)
    if (std::none_of(c.exact.begin(), c.exact.end(),
                     [&field = name](const ValueSpec &exact) { return exact.name == field; }))
      throw Error(ErrorKind::input, {.what = "an expected order of a field without exact solution",
                                     .where = c.file + ": [verify] expect",
                                     .found = name,
                                     .remedy = "give it in [exact], or leave it out"});
  if (in_time(c) && !c.time)
    throw Error(ErrorKind::input, {.what = "an order in time of a stationary case",
                                   .where = c.file + ": [verify] expect_time",
                                   .remedy = "remove expect_time, or add [time]"});
  if (!in_space(c) && !in_time(c))
    throw Error(ErrorKind::input, {.what = "weft verify needs the exact solution",
                                   .where = c.file,
                                   .remedy = "give it in a table [exact]; for the order in time, "
                                             "name it in [verify] expect_time"});
}

std::vector<std::string> names_of(const std::vector<VerifyCombination> &combinations) {
  std::vector<std::string> names;
  for (const VerifyCombination &combination : combinations)
    names.push_back(combination.name());
  return names;
}

// Those that --cell and --element leave; none of a case that has none.
std::vector<VerifyCombination> chosen_combinations(const Case &c, const VerifyOptions &options) {
  std::vector<VerifyCombination> chosen;
  for (const VerifyCombination &combination : c.verify.combinations)
    if ((options.cell.empty() || options.cell == combination.box.cell) &&
        (options.element.empty() || options.element == combination.element))
      chosen.push_back(combination);
  if (!chosen.empty() || (options.cell.empty() && options.element.empty()))
    return chosen;
  std::string given;
  for (const auto &[option, value] :
       {std::pair{"--cell ", &options.cell}, std::pair{"--element ", &options.element}})
    if (!value->empty())
      given += (given.empty() ? "" : " ") + (option + *value);
  const std::vector<std::string> names = names_of(c.verify.combinations);
  throw Error(ErrorKind::input,
              {.what = "no such combination of cells and element to verify",
               .where = c.file + ": [verify] boxes",
               .found = given,
               .allowed = names.empty() ? "neither: the case has no boxes" : join_names(names),
               .remedy = "choose one of these, or add it to boxes"});
}

// What the first mesh of a combination, or of the case where it has none, must reach: expect.toml.
class ExpectedErrors {
public:
  explicit ExpectedErrors(const Case &c)
      : file_(expectations_file(c.file)), all_(read_expectations(file_)) {
    const std::vector<std::string> known = names_of(c.verify.combinations);
    for (const auto &[name, entries] : all_.combinations)
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw Error(ErrorKind::input,
                    {.what = "an expectation of a combination that the case does not have",
                     .where = file_ + ": [verify]",
                     .found = name,
                     .allowed = known.empty() ? "none: the case has no [verify] boxes"
                                              : join_names(known)});
  }

  Expectations of(const Case &c, const std::string &combination) const {
    Expectations result{.source = all_.source, .entries = {}, .combinations = {}};
    const auto &entries = combination.empty()                    ? all_.entries
                          : all_.combinations.count(combination) ? all_.combinations.at(combination)
                                                                 : result.entries;
    std::vector<std::string> known;
    for (const ValueSpec &exact : c.exact)
      for (const char *norm : {"L2", "H1"})
        known.push_back(fmt::format("errors.{}.{}", exact.name, norm));
    for (const Expectation &e : entries) {
      if (!e.name.starts_with("errors.")) // functionals are compared by `weft run`
        continue;
      if (std::find(known.begin(), known.end(), e.name) == known.end())
        throw Error(ErrorKind::input, {.what = "an expectation of what the case does not compute",
                                       .where = file_,
                                       .found = e.name,
                                       .allowed = known.empty() ? "none: the case has no [exact]"
                                                                : join_names(known)});
      result.entries.push_back(e);
    }
    if (result.entries.empty())
      throw Error(
          ErrorKind::input,
          {.what = "--expect without errors to expect",
           .where = file_,
           .found = combination.empty() ? "no [errors]" : "nothing of " + combination,
           .remedy = combination.empty() ? "add [errors]" : "add it to the table [verify] there"});
    return result;
  }

  // The failure of errors that differ.
  std::optional<Error> missed(const Expectations &expected, const SpaceLevel &first) const {
    RunRecord record;
    record.errors = first.errors;
    std::string lines;
    for (const std::string &line : check_expectations(expected, record))
      lines += "\n  " + line;
    if (lines.empty())
      return {};
    return Error(ErrorKind::numerical, {.what = fmt::format("values differ from {} ({}):{}", file_,
                                                            expected.source, lines)});
  }

  const std::string &source() const { return all_.source; }

private:
  std::string file_;
  Expectations all_;
};

// Solves and compares; what is found goes into `json`, failures of the numbers into the result.
Verified verify_one(const VerifyOptions &options, const std::string &combination,
                    const std::optional<ExpectedErrors> &expected, nlohmann::ordered_json &json,
                    Communicator *ranks) {
  ProblemOptions problem = options.problem;
  problem.combination = combination;
  Verified v{.c = read_user_case(options.case_file, problem), .levels = {}, .failed = {}};
  const int num_levels = options.levels > 0 ? options.levels : v.c.verify.refine;
  const auto note = [&](const std::optional<Error> &failure) {
    if (failure && !v.failed)
      v.failed = failure;
  };
  try {
    if (in_space(v.c)) {
      v.levels = verify_space(v.c, problem, num_levels, ranks);
      json["levels"] = to_json(v.levels);
      note(missed_space_order(v.c, v.levels, order_slack));
      if (expected)
        note(expected->missed(expected->of(v.c, combination), v.levels.front()));
    }
    if (in_time(v.c)) {
      const std::vector<TimeLevel> levels =
          verify_time(options.case_file, problem, num_levels, ranks);
      json["time_levels"] = to_json(v.c, levels);
      check_time_orders(v.c, levels, order_slack);
    }
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::numerical || (ranks && ranks->unwinds()))
      throw;
    note(error);
  }
  if (v.failed)
    json["failed"] = v.failed->diagnostic().what;
  return v;
}

// The finest mesh of each combination.
void print_summary(const std::vector<VerifyCombination> &combinations,
                   const std::vector<Verified> &all, const Communicator *ranks) {
  print_on_first(ranks, "\n{:<14} {:<8} {:<8} {:>12} {:>7} {:>9}\n", "cell", "element", "field",
                 "L2", "order", "expected");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto &levels = all[i].levels;
    const auto line = [&](const std::string &rest) {
      print_on_first(ranks, "{:<14} {:<8} {}{}\n", combinations[i].box.cell,
                     combinations[i].element, rest, all[i].failed ? "  failed" : "");
    };
    for (std::size_t f = 0; !levels.empty() && f < levels.back().errors.size(); ++f) {
      const FieldError &error = levels.back().errors[f];
      std::string expected = "-";
      for (const auto &[field, order] : all[i].c.verify.expect)
        if (field == error.field)
          expected = fmt::format("{}", order);
      line(fmt::format("{:<8} {:>12.4e} {:>7.2f} {:>9}", error.field, error.l2,
                       observed_order(levels[levels.size() - 2], levels.back(), f, false),
                       expected));
    }
    if (levels.empty())
      line("");
  }
}

// "the observed order of u in L2 is too low (found 1.20, allowed at least 2 - 0.2)"
std::string in_a_line(const Diagnostic &d) {
  if (d.found.empty())
    return d.what;
  return fmt::format("{} (found {}{})", d.what, d.found,
                     d.allowed.empty() ? "" : ", allowed " + d.allowed);
}

// The failure of all of them together.
std::optional<Error> failure_of(const std::string &case_file,
                                const std::vector<VerifyCombination> &combinations,
                                const std::vector<Verified> &all) {
  if (combinations.empty())
    return all.front().failed;
  int count = 0;
  std::string lines;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].failed) {
      ++count;
      lines +=
          fmt::format("\n  {}: {}", combinations[i].name(), in_a_line(all[i].failed->diagnostic()));
    }
  if (count == 0)
    return {};
  return Error(ErrorKind::numerical,
               {.what = fmt::format("{} of {} combinations of cells and element failed:{}", count,
                                    all.size(), lines),
                .where = case_file,
                .remedy = "look at one alone with --cell and --element"});
}

// Makes `json` what verify_one() makes for a case without combinations, else a list of them.
std::vector<Verified> verify_all(const VerifyOptions &options,
                                 const std::vector<VerifyCombination> &combinations,
                                 const std::optional<ExpectedErrors> &expected,
                                 nlohmann::ordered_json &json, Communicator *ranks) {
  if (combinations.empty())
    return {verify_one(options, {}, expected, json, ranks)};
  std::vector<Verified> all;
  for (const VerifyCombination &combination : combinations) {
    print_on_first(ranks, "{}{}\n", all.empty() ? "" : "\n", combination.name());
    nlohmann::ordered_json entry = {{"cell", combination.box.cell},
                                    {"element", combination.element}};
    all.push_back(verify_one(options, combination.name(), expected, entry, ranks));
    json["combinations"].push_back(entry);
  }
  print_summary(combinations, all, ranks);
  return all;
}

void verify(const VerifyOptions &options, Communicator *ranks) {
  const Case c = read_user_case(options.case_file, options.problem);
  check_what_is_compared(c);
  check_elements(c);
  const std::vector<VerifyCombination> combinations = chosen_combinations(c, options);
  std::optional<ExpectedErrors> expected;
  std::size_t num_expected = 0;
  if (options.expect) {
    expected.emplace(c);
    if (combinations.empty())
      num_expected = expected->of(c, {}).entries.size();
    for (const VerifyCombination &combination : combinations)
      num_expected += expected->of(c, combination.name()).entries.size();
  }
  nlohmann::ordered_json json = {{"case", c.file}};
  const std::vector<Verified> all = verify_all(options, combinations, expected, json, ranks);
  if (!options.json.empty() && is_first(ranks))
    write_text_file(options.json, json_text(json, 2) + "\n");
  if (const std::optional<Error> failure = failure_of(c.file, combinations, all))
    throw *failure;
  if (!combinations.empty())
    print_on_first(ranks, "{} of {} combinations reach what is expected\n", all.size(), all.size());
  if (expected)
    log::info("all {} expected values reached ({})", num_expected, expected->source());
}

} // namespace

void add_verify_command(CLI::App &app, Communicator *ranks) {
  CLI::App *command =
      app.add_subcommand("verify", "convergence orders of a case, in space and time");
  auto options = std::make_shared<VerifyOptions>();
  add_case_options(*command, *options);
  command->add_option("--levels", options->levels, "meshes to use (default: [verify] refine)")
      ->check(CLI::Range(2, 10));
  command->add_option("--cell", options->cell, "of [verify] boxes only those of cells of this type")
      ->check(some_text())
      ->type_name("CELL");
  command->add_option("--element", options->element, "of [verify] boxes only this element")
      ->check(some_text())
      ->type_name("ELEMENT");
  command->add_flag("--expect", options->expect,
                    "compare errors on the first mesh with expect.toml beside the case; exit code "
                    "1 where they differ");
  command->add_option("--json", options->json, "write levels, errors and orders")
      ->type_name("FILE");
  command->callback([options, ranks] { together(ranks, [&] { verify(*options, ranks); }); });
}

} // namespace weft
