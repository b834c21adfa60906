// With which variant the kernels of a conservation law are made.
#pragma once

#include "op/law/dg_tuning.h"
#include "run/operator_choice.h"

namespace weft {

struct LawChoice {
  DgSettings settings;
  VariantRecord record;
};

// In this order: `options.variants_file`; with `options.tune` a search, whose result is kept; a
// kept result for this law, size and device; the default. Nothing is measured but with
// `options.tune`.
LawChoice choose_law_operator(Simulation &s, const ProblemOptions &options);

// As search_operator(), by the time of a stage.
OperatorSearch search_law_operator(Simulation &s, const TunerOptions &options);

} // namespace weft
