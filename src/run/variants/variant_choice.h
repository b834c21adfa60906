// What the choices of all kernels share: a file of variants, kept results, the model.
#pragma once

#include <optional>
#include <string>

#include "op/weak_form/form_tuning.h"
#include "tune/database/tuning_database.h"
#include "tune/machine_figures.h"

namespace weft {

// Whether a space has a variant; see check_variant().
bool is_candidate(const SearchSpace &space, const Variant &variant);

CostModel cost_model(const DeviceInfo &info, Precision precision, const MachineFigures &figures);

// The variant that a file has for the kernel of a space. Errors (input): the file is for another
// kernel, or what it asks for is not possible.
Variant replayed_variant(const SearchSpace &space, const std::string &path);

// The kept result of a key, where the space has it.
std::optional<Variant> kept_variant(TuningDatabase &database, const TuningKey &key,
                                    const SearchSpace &space);

} // namespace weft
