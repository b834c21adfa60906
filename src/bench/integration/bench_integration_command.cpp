#include "bench/integration/bench_integration_command.h"

#include <limits>
#include <memory>

#include "bench/bench_options.h"
#include "bench/integration/bench_integration.h"
#include "options/option_checks.h"

namespace weft {

namespace {

struct CommandOptions : IntegrationOptions {
  std::string part, json, csv;
};

} // namespace

void add_bench_integration(CLI::App &bench) {
  CLI::App *command = bench.add_subcommand(
      "integration", "element matrices beside the paper of Banas, Kruzel and Bielanski (its tables "
                     "3, 4, 6 and 7), and assembly into a sparse matrix");
  const auto options = std::make_shared<CommandOptions>();
  command->add_option("--part", options->part, "only this one")
      ->check(CLI::IsMember({"tables", "assembly"}));
  command->add_option("--form", options->form, "only this one")
      ->check(CLI::IsMember({"poisson", "conv_diff"}));
  command->add_option("--cell", options->cell, "only this one")
      ->check(CLI::IsMember({"tetrahedron", "prism"}));
  command->add_option("--order", options->order, "only this loop order of the tables")
      ->check(CLI::IsMember({"qss", "sqs", "ssq"}));
  command->add_option("--size", options->size, "cells of all problems, as a share of them")
      ->check(CLI::Range(1e-5, 100.0))
      ->capture_default_str();
  CLI::Option *budget =
      command
          ->add_option("--budget", options->budget_s,
                       "seconds of the search for each kernel; how many of its candidates that is "
                       "enough for is said")
          ->check(number_in(0.0))
          ->capture_default_str();
  const auto exhaustive = std::make_shared<bool>(false);
  command
      ->add_flag("--exhaustive", *exhaustive,
                 "all candidates of each search, as in the paper, however long that takes")
      ->excludes(budget);
  add_repeats_option(*command, options->repeats);
  add_device_options(*command, options->device, options->threads);
  command->add_option("--out", options->out, "folder of its CSV and JSON files")
      ->type_name("DIR")
      ->capture_default_str();
  add_table_options(*command, options->json, options->csv);
  command->callback([options, exhaustive] {
    if (*exhaustive)
      options->budget_s = std::numeric_limits<double>::infinity();
    options->tables = options->part != "assembly";
    options->assembly = options->part != "tables";
    const IntegrationResult result = bench_integration(*options);
    const std::vector<KernelRecord> records = kernel_records(result);
    if (!options->json.empty())
      write_bench_json(options->json, result.machine, records);
    if (!options->csv.empty())
      write_bench_csv(options->csv, records);
  });
}

} // namespace weft
