#include "run/kernel_choice.h"

#include "base/log.h"
#include "run/variants/known_machine.h"
#include "run/variants/variant_choice.h"
#include "tune/measure/measure_machine.h"

namespace weft {

namespace {

// Figures of the machine as far as they are known; none where the model would not use them.
std::optional<MachineFigures> known_figures(const Simulation &s, TuningDatabase &database) {
  if (!s.model->trusts_prediction())
    return {};
  const std::optional<MachineFigures> figures =
      database.machine(s.device->info(), machine_generator());
  if (figures && !disturbance_of(*figures).empty())
    log::debug("what the model chooses rests on figures of a busy machine ({})",
               disturbance_of(*figures));
  return figures;
}

} // namespace

KernelSearch search_kernels(Simulation &s, const TunerOptions &options) {
  TuningDatabase database;
  const MachineFigures figures = known_machine(*s.device, database);
  ModelTuning tuning = s.model->tuning(s.state, figures);
  KernelSearch search{
      .key = tuning.key, .usual = tuning.usual, .outcome = tune(*tuning.target, options)};
  search.kept = database.store(search.key, search.outcome);
  return search;
}

namespace {

// What this rank's case, database and figures say.
KernelChoice choose_here(Simulation &s, const ProblemOptions &options, const SearchSpace &space,
                         const ModelTuning &tuning, TuningDatabase &database,
                         const std::optional<MachineFigures> &figures) {
  const auto chosen = [&](const Variant &variant, const std::string &from) {
    log::debug("{}: {} ({})", s.model->kernel(), to_string(variant), from);
    return KernelChoice{variant, {s.model->kernel(), to_string(variant), from}};
  };
  if (!options.variants_file.empty())
    return chosen(replayed_variant(space, options.variants_file), "file");
  if (options.tune) {
    const KernelSearch search = search_kernels(s, {.budget_s = options.tune_budget_s});
    if (search.outcome.best)
      return chosen(*search.outcome.best, "tuned");
    log::notice("tuning found no variant that runs and is right; the default is used");
  }
  if (const auto kept = kept_variant(database, tuning.key, space))
    return chosen(*kept, "kept");
  // A fixed choice that is not possible is refused by the operator, with the reason.
  if (figures && !candidates(space).empty())
    return chosen(rank_candidates(*tuning.target).front().variant, "model");
  return chosen(tuning.usual, tuning.fixed_by_case ? "case" : "default");
}

// All: what the first rank chooses, where this one's device can do it too.
KernelChoice choice_of_first(Communicator *ranks, const KernelChoice &own,
                             const SearchSpace &space) {
  const std::string told =
      first_text(ranks, is_first(ranks) && own.variant ? to_string(*own.variant) : "");
  if (is_first(ranks) || told.empty())
    return own;
  const Variant variant = in_order(space, variant_from_string(told));
  if (!is_candidate(space, variant))
    return own;
  return {variant, {own.record.kernel, to_string(variant), own.record.from}};
}

} // namespace

KernelChoice choose_kernels(Simulation &s, const ProblemOptions &options) {
  TuningDatabase database;
  const std::optional<MachineFigures> figures = known_figures(s, database);
  const ModelTuning tuning = s.model->tuning(s.state, figures);
  const SearchSpace space = tuning.target->space();
  return choice_of_first(s.ranks, choose_here(s, options, space, tuning, database, figures), space);
}

} // namespace weft
