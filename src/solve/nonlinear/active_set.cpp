#include "solve/nonlinear/active_set.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "ranks/communicator.h"

namespace weft {

ActiveSet::ActiveSet(NonlinearOperator &op)
    : op_(op), kernels_(op.device(), op.precision(), op.layout(), 1, {"bounds", "jacobi"}),
      lower_(kernels_.vector("lower bounds")), upper_(kernels_.vector("upper bounds")),
      free_(kernels_.vector("free unknowns")) {
  take_bounds();
}

void ActiveSet::take_bounds() {
  const NonlinearOperator::Bounds bounds = op_.bounds();
  const double most = op_.precision() == Precision::f64 ? std::numeric_limits<double>::max()
                                                        : std::numeric_limits<float>::max();
  const auto take = [&](std::span<const double> from, Vector &to) {
    require(static_cast<std::int64_t>(from.size()) == op_.size(), "a bound for each unknown");
    std::vector<double> values(from.begin(), from.end());
    for (double &value : values) // infinite numbers are nothing for compilers that take liberties
      value = std::clamp(value, -most, most);
    set_vector(op_.device(), to, values);
  };
  take(bounds.lower, lower_);
  take(bounds.upper, upper_);
}

void ActiveSet::project(Vector &u) {
  kernels_.over_vector("bounds_project", {u.buffer, lower_.buffer, upper_.buffer});
}

void ActiveSet::restrict_residual(const Vector &u, Vector &r) {
  kernels_.over_vector("bounds_restrict", {u.buffer, lower_.buffer, upper_.buffer, r.buffer});
}

bool ActiveSet::hold(const Vector &u, const Vector &r) {
  kernels_.over_vector("bounds_free",
                       {u.buffer, lower_.buffer, upper_.buffer, r.buffer, free_.buffer});
  const std::vector<double> free = get_vector(op_.device(), free_);
  std::vector<std::int32_t> entries;
  for (std::size_t i = 0; i < free.size(); ++i)
    if (free[i] == 0)
      entries.push_back(static_cast<std::int32_t>(i));
  const bool changed = any(kernels_.among(), entries != entries_);
  entries_ = std::move(entries);
  op_.hold(entries_);
  return changed;
}

void ActiveSet::keep_held(Vector &step) {
  kernels_.scale(step, free_, step);
}

void ActiveSet::restrict_on_host(const Vector &u, std::vector<double> &residual) const {
  const std::vector<double> state = get_vector(op_.device(), u);
  const std::vector<double> lower = get_vector(op_.device(), lower_);
  const std::vector<double> upper = get_vector(op_.device(), upper_);
  for (std::size_t i = 0; i < residual.size(); ++i)
    if ((state[i] <= lower[i] && residual[i] >= 0) || (state[i] >= upper[i] && residual[i] <= 0))
      residual[i] = 0;
}

} // namespace weft
