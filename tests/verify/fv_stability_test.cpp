// Corrected diffusion on flat tetrahedra: no mode of a few cells grows.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "op/law/law_rates.h"
#include "op/law/mesh/fv_geometry.h"
#include "solve/time/explicit_stepper.h"
#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {
namespace {

double mean_square(const DiscreteProblem &p, const std::vector<double> &state) {
  const FvPositions positions = fv_positions(p.d, 0);
  double square = 0, volume = 0;
  for (std::size_t c = 0; c < state.size(); ++c) {
    square += positions.volume[c] * state[c] * state[c];
    volume += positions.volume[c];
  }
  return square / volume;
}

// What is left of the mean square of random values at `end`, no flux through the boundary.
double fraction_left(const std::string &size, const std::string &flux, double end) {
  const DiscreteProblem p(
      "[mesh]\nbox = { cells = [5, 5, 5], size = " + size +
      ", cell = \"tetrahedron\", distort = 0.2 }\n[fields]\nu = { element = \"FV\" }\n"
      "[conservation_law]\nflux.u = \"" +
      flux +
      "\"\ndiffusion = \"corrected\"\n[boundary.all]\nflux = { u = 0 }\n[time]\nend = "
      "1\ncfl = 0.9\n");
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> in_range(-1, 1);
  std::vector<double> first(p.d.num_owned);
  for (double &value : first)
    value = in_range(generator);
  LawRates op(test_device(), p.d, {});
  ExplicitStepper stepper(op, {.scheme = TimeScheme::ssprk3, .cfl = 0.9, .stops = {end}},
                          p.d.field_offset);
  stepper.start(first);
  while (!stepper.finished())
    if (!stepper.step().converged)
      return std::numeric_limits<double>::infinity();
  return mean_square(p, stepper.solution()) / mean_square(p, first);
}

// The slowest modes that fit decay with pi^2 of the longest side.
TEST(FvDiffusion, OfRandomValuesDecaysOnFlatTetrahedra) {
  EXPECT_LT(fraction_left("[1, 1, 0.3]", "-grad(u)", 0.03), 0.1);
  EXPECT_LT(fraction_left("[1, 0.4, 0.15]",
                          "-dot([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 0.1]], grad(u))", 0.03),
            0.1);
}

} // namespace
} // namespace weft
