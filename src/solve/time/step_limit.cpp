#include "solve/time/step_limit.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include "base/error.h"

namespace weft {

namespace {

using Complex = std::complex<double>;

// One step of length 1 of dq/dt = z q from 1, by the scheme's stages.
Complex stability_function(const RungeKutta &scheme, Complex z) {
  Complex q = 1, sum = 0;
  for (const RungeKuttaStage &stage : scheme.stages) {
    const StageUpdate &u = stage.update;
    const Complex change = z * q;
    if (u.uses_sum)
      sum = (u.keeps_sum ? u.keep * sum : 0) + change;
    q = (u.uses_start ? u.start : 0) + u.state * q + (u.uses_sum ? u.sum * sum : 0) +
        u.rate * change;
  }
  return q;
}

// Above rounding, and above what an estimate of an eigenvalue is off the imaginary axis.
constexpr double grows_beyond = 1 + 1e-6;

// |z| up to which `scheme` is stable along the ray of z from 0.
double stable_length(const RungeKutta &scheme, Complex direction) {
  constexpr double step = 0.01, longest = 100;
  const auto is_stable_at = [&](double length) {
    return std::abs(stability_function(scheme, length * direction)) <= grows_beyond;
  };
  double stable = 0;
  while (stable < longest && is_stable_at(stable + step))
    stable += step;
  double unstable = stable + step;
  while (unstable - stable > 1e-6) {
    const double middle = (stable + unstable) / 2;
    (is_stable_at(middle) ? stable : unstable) = middle;
  }
  return stable;
}

// A polynomial is largest on the border of a disc.
bool is_stable(const RungeKutta &scheme, double radius) {
  constexpr int num_points = 720;
  for (int i = 0; i <= num_points; ++i) {
    const Complex z = radius * (std::polar(1.0, std::numbers::pi * i / num_points) - 1.0);
    if (std::abs(stability_function(scheme, z)) > 1 + 1e-10)
      return false;
  }
  return true;
}

} // namespace

double stable_disc(const RungeKutta &scheme) {
  double stable = 0, unstable = 1;
  while (is_stable(scheme, unstable))
    unstable *= 2;
  while (unstable - stable > 1e-6 * unstable) {
    const double middle = (stable + unstable) / 2;
    (is_stable(scheme, middle) ? stable : unstable) = middle;
  }
  return stable;
}

double stable_step(const RungeKutta &scheme, const std::vector<std::complex<double>> &eigenvalues) {
  double step = std::numeric_limits<double>::infinity();
  for (const Complex z : eigenvalues) {
    const Complex decaying(std::min(z.real(), 0.), z.imag());
    if (const double size = std::abs(decaying); size > 0)
      step = std::min(step, stable_length(scheme, decaying / size) / size);
  }
  return step;
}

void check_fixed_step(const RungeKutta &scheme, const TimeSettings &settings, double unit_step) {
  const double share = stable_disc(scheme), limit = share * unit_step;
  if (settings.step <= limit)
    return;
  throw Error(ErrorKind::input,
              {.what = "a time step above the stability limit",
               .where = "[time] step",
               .found = fmt::format("{:.4g}", settings.step),
               .allowed = fmt::format("at most {:.4g}, {:.3g} times the longest step of explicit "
                                      "Euler, {:.4g}",
                                      limit, share, unit_step),
               .remedy = "choose a shorter step, or cfl instead of step, or an implicit scheme"});
}

} // namespace weft
