#include "run/operator_choice.h"

#include <algorithm>

#include "base/log.h"
#include "run/variants/known_machine.h"
#include "run/variants/variant_choice.h"
#include "tune/measure/measure_machine.h"

namespace weft {

namespace {

// Of the case's own settings.
Variant fixed_choices(const Case &c) {
  Variant fixed;
  if (!c.device.strategy.empty())
    fixed.choices.emplace_back("strategy", c.device.strategy);
  if (!c.device.geometry.empty())
    fixed.choices.emplace_back("geometry", c.device.geometry);
  return fixed;
}

} // namespace

FormTuningOptions form_tuning_options(const Simulation &s,
                                      const std::optional<MachineFigures> &figures) {
  FormTuningOptions options{.kind = IntegralKind::linearised,
                            .base = operator_settings(s.c),
                            .fixed = fixed_choices(s.c),
                            .model = {},
                            .state = s.state};
  if (figures)
    options.model = cost_model(s.device->info(), options.base.precision, *figures);
  return options;
}

OperatorSearch search_operator(Simulation &s, const TunerOptions &options) {
  TuningDatabase database;
  const MachineFigures figures = known_machine(*s.device, database);
  FormTuning tuning(*s.device, s.discretisation, form_tuning_options(s, figures));
  OperatorSearch search{.key = tuning.key(),
                        .usual = tuning.default_variant().value(),
                        .outcome = tune(tuning, options)};
  search.kept = database.store(search.key, search.outcome);
  return search;
}

OperatorChoice choose_operator(Simulation &s, const ProblemOptions &options) {
  const OperatorSettings base = operator_settings(s.c);
  const bool interior =
      std::any_of(s.discretisation.form.integrals.begin(), s.discretisation.form.integrals.end(),
                  [](const FormIntegral &integral) { return integral.domain == Domain::interior; });
  if (interior) // the operator says that it has none
    return {.settings = base, .record = {}};
  const auto chosen = [&](const Variant &variant, const std::string &from) {
    log::debug("{}: {} ({})", form_kernel, to_string(variant), from);
    return OperatorChoice{settings_of(variant, base), {form_kernel, to_string(variant), from}};
  };
  TuningDatabase database;
  const std::optional<MachineFigures> figures =
      database.machine(s.device->info(), machine_generator());
  if (figures && !disturbance_of(*figures).empty())
    log::info("what the model chooses rests on figures of a busy machine ({})",
              disturbance_of(*figures));
  FormTuning tuning(*s.device, s.discretisation, form_tuning_options(s, figures));
  if (!options.variants_file.empty())
    return chosen(replayed_variant(tuning.space(), options.variants_file), "file");
  if (options.tune) {
    const OperatorSearch search = search_operator(s, {.budget_s = options.tune_budget_s});
    if (search.outcome.best)
      return chosen(*search.outcome.best, "tuned");
    log::notice("tuning found no variant that runs and is right; the default is used");
  }
  if (const auto kept = kept_variant(database, tuning.key(), tuning.space()))
    return chosen(*kept, "kept");
  const Variant usual = tuning.default_variant().value();
  // A fixed choice that is not possible is refused by the operator, with the reason.
  if (figures && !candidates(tuning.space()).empty())
    return chosen(rank_candidates(tuning).front().variant, "model");
  return chosen(usual, tuning.options().fixed.choices.empty() ? "default" : "case");
}

} // namespace weft
