#include "cli/command_tune.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "base/error.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/system/atomic_file.h"
#include "cli/case_options.h"
#include "run/kernel_choice.h"
#include "run/kernel_timing.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

struct TuneOptions : CaseOptions {
  TunerOptions tuner;
  std::string json, csv;
};

double median_s(const TrialRecord &trial) {
  return trial.seconds.empty() ? 0 : median(trial.seconds);
}

// The best first, then by their distance from it; those that could not run or were wrong last.
std::vector<const TrialRecord *> by_time(const TuningOutcome &outcome) {
  std::vector<const TrialRecord *> trials;
  for (const TrialRecord &trial : outcome.trials)
    trials.push_back(&trial);
  std::stable_sort(trials.begin(), trials.end(), [&](const TrialRecord *a, const TrialRecord *b) {
    const auto key = [&](const TrialRecord *t) {
      return std::tuple(outcome.best != t->variant, !t->rejected.empty() || t->seconds.empty(),
                        t->ratio, median_s(*t));
    };
    return key(a) < key(b);
  });
  return trials;
}

std::string remarks(const TrialRecord &trial, const KernelSearch &search) {
  std::string text;
  const auto add = [&](const std::string &remark) { text += (text.empty() ? "" : ", ") + remark; };
  if (search.outcome.best == trial.variant)
    add("best");
  if (search.outcome.first_choice == trial.variant)
    add("the model's first choice");
  if (search.usual == trial.variant)
    add("the default");
  if (!trial.rejected.empty())
    add("not used: " + trial.rejected);
  return text;
}

void print_trials(const KernelSearch &search) {
  std::size_t width = 8;
  for (const TrialRecord &trial : search.outcome.trials)
    width = std::max(width, to_string(trial.variant).size());
  fmt::print("{:>5} {:>13} {:>12} {:>7} {:>6}  {:<{}}\n", "rank", "predicted/ms", "measured/ms",
             "of best", "times", "variant", width);
  for (const TrialRecord *trial : by_time(search.outcome)) {
    const std::string measured =
        trial->seconds.empty() ? "-" : fmt::format("{:.4g}", 1e3 * median_s(*trial));
    const std::string ratio = trial->ratio > 0 ? fmt::format("{:.2f}", trial->ratio) : "-";
    fmt::print("{:>5} {:>13.4g} {:>12} {:>7} {:>6}  {:<{}}  {}\n", trial->rank + 1,
               1e3 * trial->predicted_s, measured, ratio, trial->seconds.size(),
               to_string(trial->variant), width, remarks(*trial, search));
  }
}

void print_summary(const KernelSearch &search) {
  const TuningOutcome &o = search.outcome;
  fmt::print("{} of {} variants timed in {:.1f} s; {}\n", o.trials.size(), o.num_candidates,
             o.spent_s, o.settled ? "the best is clear" : "the budget ended the search");
  if (!o.best)
    return;
  fmt::print("best: {}\n      {:.4g} ms, predicted {:.4g} ms\n", to_string(*o.best), 1e3 * o.best_s,
             1e3 * o.predicted_s);
  if (o.first_choice == *o.best)
    fmt::print("the model's first choice is the best\n");
  else if (o.first_choice_ratio > 0)
    fmt::print("the model's first choice takes {:.1f}% longer\n", 100 * (o.first_choice_ratio - 1));
  else
    fmt::print("the model's first choice can't be used here\n");
  fmt::print("{}\n", search.kept ? "kept; weft run uses it from now on"
                                 : "not kept: the database can't be written");
}

Json to_json(const TrialRecord &trial) {
  return {{"variant", to_string(trial.variant)},
          {"rank", trial.rank},
          {"predicted_s", trial.predicted_s},
          {"median_s", trial.seconds.empty() ? Json() : Json(median_s(trial))},
          {"ratio", trial.ratio > 0 ? Json(trial.ratio) : Json()},
          {"seconds", trial.seconds},
          {"validated", trial.validated},
          {"rejected", trial.rejected.empty() ? Json() : Json(trial.rejected)}};
}

void write_json(const std::string &path, const Simulation &s, const KernelSearch &search) {
  const TuningOutcome &o = search.outcome;
  Json json = {
      {"kernel", search.key.kernel},
      {"problem", search.key.problem},
      {"device", s.device->info().name},
      {"cells", s.mesh.num_cells()},
      {"dofs", s.discretisation.num_global},
      {"candidates", o.num_candidates},
      {"spent_s", o.spent_s},
      {"settled", o.settled},
      {"best", o.best ? Json(to_string(*o.best)) : Json()},
      {"best_s", o.best ? Json(o.best_s) : Json()},
      {"predicted_s", o.best ? Json(o.predicted_s) : Json()},
      {"first_choice", to_string(o.first_choice)},
      {"first_choice_s", o.first_choice_s > 0 ? Json(o.first_choice_s) : Json()},
      {"first_choice_ratio", o.first_choice_ratio > 0 ? Json(o.first_choice_ratio) : Json()},
      {"default", to_string(search.usual)},
      {"kept", search.kept},
      {"variants", {{search.key.kernel, o.best ? Json(to_string(*o.best)) : Json()}}},
      {"trials", Json::array()},
  };
  for (const TrialRecord *trial : by_time(o))
    json["trials"].push_back(to_json(*trial));
  write_text_file(path, json_text(json, 2) + "\n");
}

void write_csv(const std::string &path, const KernelSearch &search) {
  std::string text = "kernel,variant,rank,predicted_s,median_s,ratio,least_s,most_s,times,used\n";
  for (const TrialRecord *trial : by_time(search.outcome)) {
    const auto &seconds = trial->seconds;
    const auto number = [&](const auto &value) {
      return seconds.empty() ? std::string() : fmt::format("{:.9g}", value());
    };
    text +=
        fmt::format("{},{},{},{:.9g},{},{},{},{},{}\n", search.key.kernel,
                    to_string(trial->variant), trial->rank, trial->predicted_s,
                    number([&] { return median_s(*trial); }), number([&] { return trial->ratio; }),
                    number([&] { return *std::min_element(seconds.begin(), seconds.end()); }),
                    number([&] { return *std::max_element(seconds.begin(), seconds.end()); }),
                    seconds.size(), trial->rejected.empty() ? 1 : 0);
  }
  write_text_file(path, text);
}

void run_tune(TuneOptions &options) {
  const std::unique_ptr<Simulation> s =
      make_simulation_without_operator(options.case_file, options.problem);
  options.tuner.budget_s = options.problem.tune_budget_s;
  log::info("{} on {} cells, {} dofs, {}\n{} is timed by {}", s->device->info().name,
            s->mesh.num_cells(), s->discretisation.num_global, s->c.device.precision,
            s->model->kernel(), s->model->timed_work());
  const KernelSearch search = search_kernels(*s, options.tuner);
  if (log::level() != log::Level::quiet) {
    print_trials(search);
    print_summary(search);
  }
  if (!options.json.empty())
    write_json(options.json, *s, search);
  if (!options.csv.empty())
    write_csv(options.csv, search);
  if (!search.outcome.best)
    throw Error(ErrorKind::system,
                {.what = "no variant of " + search.key.kernel + " ran and was right",
                 .where = s->c.file,
                 .remedy = "the table says why each was not used"});
}

} // namespace

void add_tune_command(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("tune", "search for the fastest kernels of a case, and keep the result");
  auto options = std::make_shared<TuneOptions>();
  add_case_options(*command, *options);
  add_budget_option(*command, *options);
  command
      ->add_option("--ranked", options->tuner.ranked, "variants that the model puts first to time")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--random", options->tuner.random, "others to time, chosen at random")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--seed", options->tuner.seed, "of the random choice")->capture_default_str();
  command->add_option("--json", options->json, "write the search, every timing")->type_name("FILE");
  command->add_option("--csv", options->csv, "write a row a variant")->type_name("FILE");
  command->callback([options] { run_tune(*options); });
}

} // namespace weft
