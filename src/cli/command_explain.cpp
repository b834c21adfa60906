#include "cli/command_explain.h"

#include <fmt/format.h>
#include <memory>

#include "cli/case_options.h"
#include "run/explain/explain.h"

namespace weft {

namespace {

struct ExplainOptions : CaseOptions {
  std::vector<std::string> ablations;
  int repeats = 9;
  bool json = false;
};

constexpr Ablation all_ablations[] = {Ablation::memory, Ablation::gather, Ablation::scatter,
                                      Ablation::arithmetic};

void run_explain(const ExplainOptions &options) {
  std::vector<Ablation> ablations;
  for (const Ablation ablation : all_ablations)
    for (const std::string &name : options.ablations)
      if (name == to_string(ablation) || name == "all")
        ablations.push_back(ablation);
  const Explanation e = explain(options.case_file, options.problem, ablations, options.repeats);
  fmt::print("{}\n", options.json ? explanation_json(e) : explanation_text(e));
}

} // namespace

void add_explain_command(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("explain", "where the time of a case's kernels goes: what each does, what "
                                    "is predicted and measured, what is in its way");
  auto options = std::make_shared<ExplainOptions>();
  add_case_options(*command, *options);
  add_variant_options(*command, *options);
  command
      ->add_option("--ablate", options->ablations,
                   "also measure what a term costs in the kernels over cells, by doing its work "
                   "twice (memory: not at all)")
      ->check(CLI::IsMember({"memory", "gather", "scatter", "arithmetic", "all"}));
  command->add_option("--repeats", options->repeats, "timings of each kernel")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--json", options->json, "as JSON");
  command->callback([options] { run_explain(*options); });
}

} // namespace weft
