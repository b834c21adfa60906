#include "solve/nonlinear/natural_damping.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/nonlinear/field_norms.h"

namespace weft {

namespace {

constexpr double least_first_factor = 1e-3;
constexpr double most_shortening = 0.1;

// a + factor * b
std::vector<double> sum(const std::vector<double> &a, double factor, const std::vector<double> &b) {
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    result[i] = a[i] + factor * b[i];
  return result;
}

} // namespace

double NaturalDamping::norm(const std::vector<double> &values) const {
  return scaled_norm(values, fields_, scales_, ranks_);
}

double NaturalDamping::start(const std::vector<double> &state, std::vector<double> step) {
  scales_ = field_norms(state, fields_, ranks_);
  const std::vector<double> sizes = field_norms(step, fields_, ranks_);
  for (std::size_t f = 0; f < scales_.size(); ++f)
    scales_[f] = std::max(scales_[f], sizes[f]);
  step_ = std::move(step);
  step_norm_ = norm(step_);
  if (!last_)
    return 1;
  const double change = norm(sum(last_->simplified_step, -1, step_)) * step_norm_;
  const double allowed = norm(last_->step) * norm(last_->simplified_step) * last_->factor;
  return change > allowed ? std::max(allowed / change, least_first_factor) : 1;
}

NaturalDamping::Verdict NaturalDamping::judge(double factor,
                                              const std::vector<double> &simplified_step) {
  const double next_norm = norm(simplified_step);
  if (next_norm <= (1 - factor / 4) * step_norm_) {
    last_ = Judged{factor, step_, simplified_step};
    return {.accepted = true};
  }
  const double change = norm(sum(simplified_step, factor - 1, step_));
  const double expected = 0.5 * step_norm_ * factor * factor / change;
  return {.next = std::isfinite(expected)
                      ? std::clamp(expected, most_shortening * factor, 0.5 * factor)
                      : most_shortening * factor};
}

} // namespace weft
