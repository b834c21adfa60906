#include "cli/case_options.h"

#include "options/mesh_timeout_option.h"
#include "options/option_checks.h"
#include "options/trust_option.h"

namespace weft {

void add_case_options(CLI::App &command, CaseOptions &options) {
  command.add_option("case", options.case_file, "case file (TOML)")->required()->type_name("CASE");
  command.add_option(
      "--device", options.problem.device,
      "opencl, opencl:1, cuda:0 or part of a device's name (weft devices lists them)");
  add_threads_option(command, options.problem.threads);
  command
      .add_option("--set", options.problem.overrides,
                  "override a key of the case: table.key=value; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  add_trust_option(command, options.problem.trust);
  add_mesh_timeout_option(command, options.problem.mesh_timeout_s);
  constexpr double usual_timeout_s = 300;
  options.problem.kernel_timeout_s = usual_timeout_s;
  command
      .add_option("--kernel-timeout", options.problem.kernel_timeout_s,
                  "with C text under --trust: seconds that one wait for the device may take, then "
                  "what there is is written and the run ends with exit code 3; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
}

void add_budget_option(CLI::App &command, CaseOptions &options) {
  command
      .add_option("--budget", options.problem.tune_budget_s,
                  "seconds that the search may take for each kernel")
      ->check(number_in(0.0))
      ->type_name("SECONDS")
      ->capture_default_str();
}

void add_variant_options(CLI::App &command, CaseOptions &options) {
  CLI::Option *tune = command.add_flag("--tune", options.problem.tune,
                                       "search for the fastest kernels first, and keep the result");
  add_budget_option(command, options);
  command
      .add_option("--variants", options.problem.variants_file,
                  "make the kernels as an earlier run did: its results.json")
      ->type_name("FILE")
      ->excludes(tune);
}

} // namespace weft
