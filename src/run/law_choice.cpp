#include "run/law_choice.h"

#include "base/log.h"
#include "run/variants/known_machine.h"
#include "run/variants/variant_choice.h"

namespace weft {

namespace {

DgTuningOptions law_tuning_options(const Simulation &s) {
  DgTuningOptions options;
  options.base = dg_settings(s.c);
  options.state = s.state;
  options.time = s.discretisation.time;
  return options;
}

} // namespace

OperatorSearch search_law_operator(Simulation &s, const TunerOptions &options) {
  TuningDatabase database;
  const MachineFigures figures = known_machine(*s.device, database);
  DgTuningOptions tuned = law_tuning_options(s);
  tuned.model = cost_model(s.device->info(), tuned.base.precision, figures);
  DgTuning tuning(*s.device, s.discretisation, tuned);
  OperatorSearch search{.key = tuning.key(),
                        .usual = tuning.default_variant().value(),
                        .outcome = tune(tuning, options)};
  search.kept = database.store(search.key, search.outcome);
  return search;
}

LawChoice choose_law_operator(Simulation &s, const ProblemOptions &options) {
  const auto chosen = [&](const Variant &variant, const std::string &from) {
    log::debug("{}: {} ({})", law_kernel, to_string(variant), from);
    return LawChoice{dg_settings_of(variant, dg_settings(s.c)),
                     {law_kernel, to_string(variant), from}};
  };
  DgTuning tuning(*s.device, s.discretisation, law_tuning_options(s));
  if (!options.variants_file.empty())
    return chosen(replayed_variant(tuning.space(), options.variants_file), "file");
  if (options.tune) {
    const OperatorSearch search = search_law_operator(s, {.budget_s = options.tune_budget_s});
    if (search.outcome.best)
      return chosen(*search.outcome.best, "tuned");
    log::notice("tuning found no variant that runs and is right; the default is used");
  }
  TuningDatabase database;
  if (const auto kept = kept_variant(database, tuning.key(), tuning.space()))
    return chosen(*kept, "kept");
  return chosen(tuning.default_variant().value(), "default");
}

} // namespace weft
