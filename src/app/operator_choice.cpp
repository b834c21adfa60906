#include "app/operator_choice.h"

#include <algorithm>

#include "app/variants_file.h"
#include "base/error.h"
#include "base/log.h"
#include "base/names.h"
#include "tune/measure_machine.h"
#include "tune/performance_model.h"

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

CostModel cost_model(const DeviceInfo &info, Precision precision, const MachineFigures &figures) {
  return [=](const std::vector<NamedCost> &costs) {
    return predict(costs, precision, info, figures).seconds;
  };
}

bool is_candidate(FormTuning &tuning, const Variant &variant) {
  try {
    check_variant(tuning.space(), variant, "");
    return true;
  } catch (const Error &) {
    return false;
  }
}

Variant replayed(FormTuning &tuning, const std::string &path) {
  const std::map<std::string, Variant> variants = read_variants(path);
  std::vector<std::string> kernels;
  for (const auto &[kernel, variant] : variants) {
    kernels.push_back(kernel);
    if (kernel != form_kernel)
      throw Error(ErrorKind::input, {.what = "variants of a kernel that the case does not have",
                                     .where = path,
                                     .found = kernel,
                                     .allowed = form_kernel});
  }
  check_variant(tuning.space(), variants.at(form_kernel), path + ": " + form_kernel);
  return in_order(tuning.space(), variants.at(form_kernel));
}

std::string place_of(TuningMatch match) {
  switch (match) {
  case TuningMatch::device:
    return "this device";
  case TuningMatch::architecture:
    return "a device of the same architecture";
  case TuningMatch::vendor:
    break;
  }
  return "a device of the same vendor";
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
  const MachineFigures figures = machine_figures(*s.device, &database);
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
  FormTuning tuning(*s.device, s.discretisation, form_tuning_options(s, figures));
  if (!options.variants_file.empty())
    return chosen(replayed(tuning, options.variants_file), "file");
  if (options.tune) {
    const OperatorSearch search = search_operator(s, {.budget_s = options.tune_budget_s});
    if (search.outcome.best)
      return chosen(*search.outcome.best, "tuned");
    log::notice("tuning found no variant that runs and is right; the default is used");
  }
  if (const std::optional<KeptTuning> kept = database.find(tuning.key());
      kept && is_candidate(tuning, kept->variant)) {
    log::debug("{}: kept from a search on {}: {:.4g} ms, predicted {:.4g} ms", form_kernel,
               place_of(kept->match), 1e3 * kept->seconds, 1e3 * kept->predicted_s);
    return chosen(kept->variant, "kept");
  }
  const Variant usual = tuning.default_variant().value();
  // A fixed choice that is not possible is refused by the operator, with the reason.
  if (figures && !candidates(tuning.space()).empty())
    return chosen(rank_candidates(tuning).front().variant, "model");
  return chosen(usual, tuning.options().fixed.choices.empty() ? "default" : "case");
}

} // namespace weft
