#include "app/case_options.h"

namespace weft {

void add_case_options(CLI::App &command, CaseOptions &options) {
  command.add_option("case", options.case_file, "case file (TOML)")->required()->type_name("CASE");
  command.add_option(
      "--device", options.problem.device,
      "opencl, opencl:1, cuda:0 or part of a device's name (weft devices lists them)");
  command.add_option("--threads", options.problem.threads, "cores of a CPU device; 0 = all")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--set", options.problem.overrides,
                  "override a key of the case: table.key=value; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

} // namespace weft
