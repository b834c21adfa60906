#include "bench/residual/prediction_keys.h"

namespace weft {

double bound_share(const Prediction &predicted) {
  return predicted.of(predicted.bound()) / predicted.sum_of_terms();
}

void add_prediction(nlohmann::ordered_json &row, const Prediction &predicted,
                    double predicted_over_measured) {
  row["predicted_over_measured"] = predicted_over_measured;
  row["bound"] = to_string(predicted.bound());
  row["bound_share"] = bound_share(predicted);
  for (const auto &[term, seconds] : predicted.terms)
    row[to_string(term) + "_s"] = seconds;
}

} // namespace weft
