#include "cli/command_sweep.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "base/error.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/system/standard_output.h"
#include "base/system/way_to_go_on.h"
#include "cli/case_options.h"
#include "output/progress.h"
#include "run/phase.h"
#include "run/sweep/sweep_file.h"

namespace weft {

namespace {

struct SweepOptions : CaseOptions {
  std::vector<std::string> over;
  int samples = 0;
  std::string output;
  bool json = false;
};

// A table's columns, as wide as their names and numbers.
class SweepTable {
public:
  explicit SweepTable(const SweepPlan &plan) : plan_(plan) {}

  std::string head() const {
    std::string text = "sample";
    for (const SweptParameter &parameter : plan_.parameters)
      text += cell(parameter.name, parameter.name);
    for (const std::string &name : plan_.functionals)
      text += cell(name, name);
    return text + "  iterations  seconds\n";
  }

  std::string line(const SweepRow &row) const {
    std::string text = fmt::format("{:>6}", row.sample);
    for (std::size_t p = 0; p < row.point.size(); ++p)
      text += cell(fmt::format("{:.6g}", row.point[p]), plan_.parameters[p].name);
    for (std::size_t f = 0; f < row.functionals.size(); ++f)
      text += cell(row.converged ? fmt::format("{:.9g}", row.functionals[f]) : "-",
                   plan_.functionals[f]);
    text += fmt::format("  {:>10}  {:>7.2f}", row.iterations, row.seconds);
    return text + (row.converged ? "" : "  NOT CONVERGED") + "\n";
  }

private:
  static std::string cell(const std::string &text, const std::string &name) {
    constexpr std::size_t of_a_number = 12;
    return fmt::format("  {:>{}}", text, std::max(of_a_number, name.size()));
  }

  const SweepPlan &plan_;
};

std::string json_of(const SweepPlan &plan, const SweepFile &file) {
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto &[sample, row] : file.rows()) {
    nlohmann::ordered_json line = {{"sample", sample}};
    for (std::size_t p = 0; p < row.point.size(); ++p)
      line["parameters"][plan.parameters[p].name] = row.point[p];
    for (std::size_t f = 0; f < row.functionals.size(); ++f)
      line["functionals"][plan.functionals[f]] = number(row.functionals[f]);
    line["iterations"] = row.iterations;
    line["newton_steps"] = row.newton_steps;
    line["seconds"] = number(row.seconds);
    line["converged"] = row.converged;
    rows.push_back(std::move(line));
  }
  return json_text(rows, 2) + "\n";
}

// Error (numerical): which samples did not converge.
void require_converged(const std::string &case_file, const std::vector<SweepRow> &failed,
                       std::size_t all) {
  if (failed.empty())
    return;
  std::string lines;
  constexpr std::size_t most_lines = 5;
  for (std::size_t i = 0; i < std::min(most_lines, failed.size()); ++i)
    lines += fmt::format("\n  sample {}{}", failed[i].sample,
                         failed[i].reason.empty() ? "" : ": " + failed[i].reason);
  throw Error(ErrorKind::numerical,
              {.what = fmt::format("{} of {} samples did not converge:{}{}", failed.size(), all,
                                   lines, failed.size() > most_lines ? "\n  ..." : ""),
               .where = case_file,
               .remedy = "go to such values in smaller steps, or run one of them alone: weft run "
                         "CASE --set parameters.NAME=VALUE"});
}

// The first sample after `sample`, which is open, that is not.
int end_of_open(const SweepPlan &plan, const SweepFile &file, int sample) {
  int end = sample;
  while (end < static_cast<int>(plan.points.size()) && !file.has(end + 1))
    ++end;
  return end;
}

void run_sweep(const SweepOptions &options) {
  std::vector<SweptParameter> parameters;
  for (const std::string &text : options.over)
    parameters.push_back(swept_parameter(text));
  show_phases();
  Sweep sweep(options.case_file, options.problem, parameters, options.samples);
  const SweepPlan &plan = sweep.plan();
  const std::string folder = options.output.empty() ? sweep.folder() : options.output;
  SweepFile file(folder, plan, sweep.identity());
  set_way_to_go_on("run the same command again: it goes on with the next sample");
  if (!file.rows().empty())
    log::info("{} of {} samples are in {} already", file.rows().size(), plan.points.size(),
              file.path());
  const bool table = !options.json && log::level() != log::Level::quiet;
  const SweepTable lines(plan);
  if (table)
    print_out(lines.head());
  std::vector<SweepRow> failed;
  {
    Progress progress("sweep", "sample");
    for (int sample = 0; sample < static_cast<int>(plan.points.size()); ++sample) {
      if (!file.has(sample + 1))
        for (const SweepRow &row : sweep.solve(sample, end_of_open(plan, file, sample)))
          file.add(row);
      const SweepRow &row = file.rows().at(sample + 1);
      if (!row.converged)
        failed.push_back(row);
      if (table) {
        progress.make_way();
        print_out(lines.line(row));
      }
      progress.update(double(sample + 1) / double(plan.points.size()), sample + 1);
    }
  }
  const std::vector<std::string> plots = file.plot();
  if (options.json)
    print_out(json_of(plan, file));
  if (table) {
    print_out(file.path() + "\n");
    for (const std::string &plot : plots)
      print_out(plot + "\n");
  }
  require_converged(options.case_file, failed, plan.points.size());
}

} // namespace

void add_sweep_command(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "sweep", "solve a case for many values of its parameters, on one mesh and by one set of "
               "kernels");
  auto options = std::make_shared<SweepOptions>();
  add_case_options(*command, *options);
  command
      ->add_option("--over", options->over,
                   "a parameter and its values: h=1:100:20log, h=1:9:5, h=1,2,5; of several all "
                   "combinations; with --samples a range, h=1:100 or h=1:100:log")
      ->required()
      ->allow_extra_args(false);
  command
      ->add_option("--samples", options->samples,
                   "so many points that fill the ranges evenly, in place of all combinations")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--out", options->output,
                      "folder of sweep.csv and the plots; a sweep that was ended goes on there "
                      "(default: sweep in the case's output folder)");
  add_variant_options(*command, *options);
  command->add_flag("--json", options->json, "the rows as JSON, in place of the table");
  command->callback([options] { run_sweep(*options); });
}

} // namespace weft
