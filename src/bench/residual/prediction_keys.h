// What rows of benchmarks say of a prediction beside the record's `predicted_s`.
#pragma once

#include <nlohmann/json.hpp>

#include "tune/model/performance_model.h"

namespace weft {

// Fraction of the largest term in the sum of all.
double bound_share(const Prediction &predicted);

// The keys "predicted_over_measured", "bound", "bound_share", and the terms in seconds
// ("memory_s").
void add_prediction(nlohmann::ordered_json &row, const Prediction &predicted,
                    double predicted_over_measured);

} // namespace weft
