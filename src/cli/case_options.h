// What a user says on the command line of the verbs that take a case.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "weft/problem.h"

namespace weft {

struct CaseOptions {
  std::string case_file;
  ProblemOptions problem;
};

// CASE, --device, --threads, --set, --trust, --mesh-timeout, --kernel-timeout.
void add_case_options(CLI::App &command, CaseOptions &options);
// --budget: seconds a search may take.
void add_budget_option(CLI::App &command, CaseOptions &options);
// How kernels are chosen: --tune, --budget, --variants.
void add_variant_options(CLI::App &command, CaseOptions &options);

} // namespace weft
