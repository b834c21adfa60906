// With which variant the operator of a run is made: replayed, searched for, kept from a search, the
// model's first choice, or what is used by default.
#pragma once

#include "op/weak_form/form_tuning.h"
#include "run/simulation.h"
#include "tune/search/tuner.h"

namespace weft {

struct OperatorChoice {
  OperatorSettings settings;
  VariantRecord record;
};

// In this order: `options.variants_file`; with `options.tune` a search, whose result is kept; a
// kept result for this form, size and device; the model's first choice where the machine's figures
// are known; the default. Settings that the case fixes hold always; a file that contradicts them,
// or asks for what is not possible, is an error (input). Nothing is measured but with
// `options.tune`.
OperatorChoice choose_operator(Simulation &s, const ProblemOptions &options);

// What the operator of a case is tuned with: by the time of the linearised application, which
// solvers iterate with. The model is set if `figures` are there.
FormTuningOptions form_tuning_options(const Simulation &s,
                                      const std::optional<MachineFigures> &figures);

// Measures the machine where its figures are not known, searches, and keeps the result.
struct OperatorSearch {
  TuningKey key;
  Variant usual; // what is used by default
  TuningOutcome outcome;
  bool kept = false;
};
OperatorSearch search_operator(Simulation &s, const TunerOptions &options);

} // namespace weft
