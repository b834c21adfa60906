#include "cli/command_explain.h"

#include <memory>

#include "base/error.h"
#include "base/system/standard_output.h"
#include "cli/case_options.h"
#include "device/card/card.h"
#include "run/explain/explain.h"
#include "run/explain/explain_card.h"

namespace weft {

namespace {

struct ExplainOptions : CaseOptions {
  std::vector<std::string> ablations;
  int repeats = 9;
  bool kernels = false, json = false;
};

constexpr Ablation all_ablations[] = {Ablation::memory, Ablation::gather, Ablation::scatter,
                                      Ablation::arithmetic};

// On a card that is not there.
void explain_model(const ExplainOptions &options, const Card &card, Communicator *ranks) {
  const auto refused = [&](const std::string &what, const std::string &found) {
    return Error(ErrorKind::unsupported,
                 {.what = what,
                  .where = "--device " + options.problem.device,
                  .found = found,
                  .remedy = "leave it out, or name a device of this machine"});
  };
  if (ranks != nullptr)
    throw refused("a model of a device is one, for one process", "several ranks");
  if (!options.ablations.empty())
    throw refused("ablations are measured, and a model of a device has no times", "--ablate");
  const CardExplanation e = explain_on_card(options.case_file, options.problem, card);
  print_out(options.json ? card_explanation_json(e) + "\n" : card_explanation_text(e));
}

void run_explain(const ExplainOptions &options, Communicator *ranks) {
  if (const std::optional<Card> card = card_of_device(options.problem.device))
    return explain_model(options, *card, ranks);
  std::vector<Ablation> ablations;
  for (const Ablation ablation : all_ablations)
    for (const std::string &name : options.ablations)
      if (name == to_string(ablation) || name == "all")
        ablations.push_back(ablation);
  const Explanation e =
      explain(options.case_file, options.problem, ablations, options.repeats, ranks);
  if (!is_first(ranks))
    return;
  if (options.json) {
    print_out(explanation_json(e) + "\n");
    return;
  }
  print_out(explanation_text(e));
  if (options.kernels)
    print_out("\n" + kernels_text(e));
  if (!e.ablations.empty())
    print_out("\n" + ablations_text(e));
}

} // namespace

void add_explain_command(CLI::App &app, Communicator *ranks) {
  CLI::App *command = app.add_subcommand(
      "explain", "where the time of a case's run goes: stage by stage, what limits "
                 "the largest parts, and what would help");
  auto options = std::make_shared<ExplainOptions>();
  add_case_options(*command, *options);
  add_variant_options(*command, *options);
  command
      ->add_option("--ablate", options->ablations,
                   "also measure what a term costs in the kernels over cells that work without a "
                   "matrix, by doing its work twice (memory: not at all)")
      ->check(CLI::IsMember({"memory", "gather", "scatter", "arithmetic", "all"}));
  command->add_flag("--kernels", options->kernels,
                    "each kernel too: what it does, what is predicted and measured");
  command
      ->add_option("--repeats", options->repeats,
                   "how often the solve is watched, within some seconds")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--json", options->json, "as JSON");
  command->callback([options, ranks] { together(ranks, [&] { run_explain(*options, ranks); }); });
}

} // namespace weft
