// With which variant the kernels of a run are made: replayed, searched for, kept from a search, the
// performance model's first choice, or what is used by default.
#pragma once

#include "run/simulation.h"
#include "tune/database/tuning_database.h"
#include "tune/search/tuner.h"

namespace weft {

struct KernelChoice {
  std::optional<Variant> variant; // none: the model has no variants
  VariantRecord record;
};

// In this order: `options.variants_file`; with `options.tune` a search, whose result is kept; a
// kept result for this problem, size and device; the performance model's first choice where the
// model trusts it and the machine's figures are known; the default. Settings that the case fixes
// hold always; a file that contradicts them, or asks for what is not possible, is an error (input).
// Nothing is measured but with `options.tune`. All: among ranks what the first one chooses, where
// others' devices can do it.
KernelChoice choose_kernels(Simulation &s, const ProblemOptions &options);

struct KernelSearch {
  TuningKey key;
  Variant usual; // what is used by default
  TuningOutcome outcome;
  bool kept = false;
};
// Measures the machine where its figures are not known, searches, and keeps the result.
KernelSearch search_kernels(Simulation &s, const TunerOptions &options);

} // namespace weft
