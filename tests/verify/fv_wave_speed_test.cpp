// Waves of excitation along fibres and across them, on triangles that follow neither: their speed
// converges to that of the same equations in one dimension, computed here on a fine grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "op/law/arrival_times.h"
#include "op/law/law_rates.h"
#include "op/law/mesh/fv_geometry.h"
#include "solve/time/explicit_stepper.h"
#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {
namespace {

constexpr double along_fibres = 0.3, across_fibres = 0.075; // diffusion
constexpr double turn = 0.6;                                // of the strip, and of the fibres

// A strip as long as 7 widths of the front.
double strip_length(double diffusion) {
  return 4 * std::sqrt(diffusion / along_fibres);
}

double initial_potential(double position, double length) {
  return 0.5 - 0.5 * std::tanh((position / length - 0.1) * 16);
}

// From times of arrival over half of the strip: positions over times by least squares.
double speed(const std::vector<double> &positions, const std::vector<double> &times,
             double length) {
  double n = 0, x = 0, t = 0, tt = 0, xt = 0;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (positions[i] > 0.35 * length && positions[i] < 0.85 * length) {
      n += 1;
      x += positions[i];
      t += times[i];
      tt += times[i] * times[i];
      xt += positions[i] * times[i];
    }
  return (n * xt - x * t) / (n * tt - t * t);
}

// Aliev and Panfilov's kinetics, see physics/aliev_panfilov.
double potential_rate(double u, double v) {
  return -8 * u * (u - 0.15) * (u - 1) - u * v;
}
double recovery_rate(double u, double v) {
  return (0.002 + 0.2 * v / (u + 0.3)) * (-v - 8 * u * (u - 1.15));
}

// Differences on a line of points between insulated ends, and Heun's method.
double speed_on_a_line(double diffusion, int num_points) {
  const double length = strip_length(diffusion), dx = length / num_points;
  const double h = 0.4 * dx * dx / diffusion;
  const std::size_t n = num_points;
  std::vector<double> x(n), u(n), v(n, 0), du[2], dv[2], times(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = (double(i) + 0.5) * dx;
    u[i] = initial_potential(x[i], length);
  }
  const auto rates = [&](const std::vector<double> &a, const std::vector<double> &b, int stage) {
    du[stage].resize(n);
    dv[stage].resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double left = i > 0 ? a[i - 1] - a[i] : 0, right = i + 1 < n ? a[i + 1] - a[i] : 0;
      du[stage][i] = diffusion / (dx * dx) * (left + right) + potential_rate(a[i], b[i]);
      dv[stage][i] = recovery_rate(a[i], b[i]);
    }
  };
  std::vector<double> half_u(n), half_v(n);
  for (double t = 0; times[n - 1] < 0 && t < 50; t += h) {
    rates(u, v, 0);
    for (std::size_t i = 0; i < n; ++i) {
      half_u[i] = u[i] + h * du[0][i];
      half_v[i] = v[i] + h * dv[0][i];
    }
    rates(half_u, half_v, 1);
    for (std::size_t i = 0; i < n; ++i) {
      const double before = u[i];
      u[i] += 0.5 * h * (du[0][i] + du[1][i]);
      v[i] += 0.5 * h * (dv[0][i] + dv[1][i]);
      if (times[i] < 0 && u[i] > 0.5)
        times[i] = t + h * std::clamp((0.5 - before) / (u[i] - before), 0.0, 1.0);
    }
  }
  return speed(x, times, length);
}

// On two rows of squares, each in two triangles whose corners are moved about.
double speed_on_a_strip(double diffusion, int num_squares) {
  const double length = strip_length(diffusion);
  const double to_fibres = diffusion == along_fibres ? turn : turn + M_PI / 2;
  const DiscreteProblem p(
      fmt::format("physics = [\"aliev_panfilov\"]\n[mesh]\nbox = {{ cells = [{}, 2], size = [{}, "
                  "{}], cell = \"triangle\", distort = 0.2 }}\n[parameters]\nfibre = \"[{}, {}]\"\n"
                  "D = \"{}*identity + {}*outer(fibre, fibre)\"\n[fields]\nu = {{ element = \"FV\" "
                  "}}\nv = {{ element = \"FV\" }}\n[conservation_law]\ndiffusion = \"corrected\"\n"
                  "[boundary.all]\nflux = {{ u = 0 }}\n[time]\nend = 1\ncfl = 1\nreactions = "
                  "\"rush_larsen\"\n[first_times]\nactivation = \"u - 0.5\"\n",
                  num_squares, length, 2 * length / num_squares, std::cos(to_fibres),
                  std::sin(to_fibres), across_fibres, along_fibres - across_fibres),
      [](double *x) {
        const double along = x[0];
        x[0] = std::cos(turn) * along - std::sin(turn) * x[1];
        x[1] = std::sin(turn) * along + std::cos(turn) * x[1];
      });
  const FvPositions positions = fv_positions(p.d, 0);
  std::vector<double> along(positions.volume.size()), state(p.d.num_owned, 0);
  for (std::size_t c = 0; c < along.size(); ++c) {
    along[c] =
        std::cos(turn) * positions.centre[2 * c] + std::sin(turn) * positions.centre[2 * c + 1];
    state[c] = initial_potential(along[c], length);
  }
  LawRates op(test_device(), p.d, {});
  ArrivalTimes first(p.c, p.d, op);
  const double end = 1.1 * length / std::sqrt(diffusion); // no front is as slow
  ExplicitStepper stepper(op, {.scheme = TimeScheme::ssprk3, .cfl = 1, .stops = {end}},
                          p.d.field_offset);
  stepper.start(state);
  first.start(0, *stepper.device_state());
  while (!stepper.finished()) {
    if (!stepper.step().converged) {
      ADD_FAILURE() << "a step failed";
      return 0;
    }
    first.look(stepper.time(), *stepper.device_state());
  }
  return speed(along, first.times(end)[0], length);
}

class FvWaves : public testing::TestWithParam<double> {};

TEST_P(FvWaves, RunAsFastAsOnALine) {
  const double reference = speed_on_a_line(GetParam(), 250);
  std::vector<double> errors;
  for (const int squares : {8, 16, 32})
    errors.push_back(std::abs(speed_on_a_strip(GetParam(), squares) / reference - 1));
  EXPECT_GT(std::log2(errors[0] / errors[2]), 3);
  EXPECT_LT(errors[2], 0.01);
}

INSTANTIATE_TEST_SUITE_P(Fibres, FvWaves, testing::Values(along_fibres, across_fibres),
                         [](const auto &info) {
                           return info.param == along_fibres ? "along" : "across";
                         });

} // namespace
} // namespace weft
