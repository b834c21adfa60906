// Orders of finite volumes on smooth problems, and bounds at shocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "op/law/law_rates.h"
#include "op/law/mesh/fv_geometry.h"
#include "solve/time/explicit_stepper.h"
#include "support/discrete_problem.h"
#include "support/test_device.h"

namespace weft {
namespace {

using Place = std::array<double, 3>;
using Exact = std::function<double(const Place &, double time)>;

struct Cells {
  std::vector<Place> centre;
  std::vector<double> volume;
};
Cells cells_of(const Discretisation &d) {
  Cells cells;
  for (int s = 0; s < static_cast<int>(d.mesh->sets.size()); ++s) {
    const FvPositions positions = fv_positions(d, s);
    cells.volume.insert(cells.volume.end(), positions.volume.begin(), positions.volume.end());
    for (std::size_t c = 0; c < positions.volume.size(); ++c) {
      Place x = {0, 0, 0};
      std::copy_n(&positions.centre[c * d.mesh->dim], d.mesh->dim, x.begin());
      cells.centre.push_back(x);
    }
  }
  return cells;
}

std::vector<double> run(const DiscreteProblem &p, const std::vector<double> &first, double end,
                        double cfl) {
  LawRates op(test_device(), p.d, {});
  ExplicitStepper stepper(op, {.scheme = TimeScheme::ssprk3, .cfl = cfl, .stops = {end}},
                          p.d.field_offset);
  stepper.start(first);
  while (!stepper.finished())
    if (!stepper.step().converged)
      ADD_FAILURE() << "a step failed";
  return stepper.solution();
}

// In the mean square, of a scalar.
double error(const std::string &text, const Exact &exact, double end, double cfl) {
  const DiscreteProblem p(text);
  const Cells cells = cells_of(p.d);
  std::vector<double> first;
  for (const Place &x : cells.centre)
    first.push_back(exact(x, 0));
  const std::vector<double> last = run(p, first, end, cfl);
  double square = 0, volume = 0;
  for (std::size_t c = 0; c < last.size(); ++c) {
    square += cells.volume[c] * std::pow(last[c] - exact(cells.centre[c], end), 2);
    volume += cells.volume[c];
  }
  return std::sqrt(square / volume);
}

std::string advection_text(int n, const std::string &method) {
  const std::string cells = std::to_string(n);
  return "[mesh]\nbox = { cells = [" + cells + ", " + cells +
         "], cell = \"triangle\", periodic = [\"x\", \"y\"] }\n[fields]\nq = { element = \"FV\" "
         "}\n[conservation_law]\nflux.q = \"[1, 0.5]*q\"\nnumerical_flux = \"upwind\"\n" +
         method + "[initial]\nq = \"sin(2*pi*x) + cos(2*pi*y)\"\n[time]\nend = 1\ncfl = 0.5\n";
}

double advection_order(const std::string &method) {
  const auto wave = [](const Place &x, double t) {
    return std::sin(2 * M_PI * (x[0] - t)) + std::cos(2 * M_PI * (x[1] - 0.5 * t));
  };
  return std::log2(error(advection_text(12, method), wave, 0.1, 0.5) /
                   error(advection_text(24, method), wave, 0.1, 0.5));
}

TEST(FvOrders, OfAdvection) {
  EXPECT_NEAR(advection_order("reconstruction = \"constant\"\n"), 1, 0.2);
  EXPECT_GT(advection_order("limiter = \"none\"\n"), 1.8);
  EXPECT_GT(advection_order("limiter = \"venkatakrishnan\"\n"), 1.8);
}

// sin(a.x) decays with a.K a.
TEST(FvOrders, OfCorrectedDiffusionOnTetrahedra) {
  const double decay = 23.85;
  const auto wave = [&](const Place &x, double t) {
    return std::exp(-decay * t) * std::sin(2 * x[0] + x[1] + 1.5 * x[2]);
  };
  const auto text = [](int n) {
    const std::string cells = std::to_string(n);
    return "[mesh]\nbox = { cells = [" + cells + ", " + cells + ", " + cells +
           "], cell = \"tetrahedron\", distort = 0.2 }\n[fields]\nu = { element = \"FV\" }\n"
           "[definitions]\nK = \"[[3, 1, 0.5], [1, 2, 0.2], [0.5, 0.2, 1]]\"\n[conservation_law]\n"
           "flux.u = \"-dot(K, grad(u))\"\ndiffusion = \"corrected\"\n[boundary.all]\nouter = { u "
           "= "
           "\"exp(-23.85*t)*sin(2*x + y + 1.5*z)\" }\n[time]\nend = 1\ncfl = 0.5\n";
  };
  EXPECT_GT(std::log2(error(text(4), wave, 0.02, 0.9) / error(text(8), wave, 0.02, 0.9)), 1.7);
}

// The longest step of explicit Euler on squares with sides h is 2 h^2/(4 h |a|): the half of the
// surface may let all out.
TEST(FvSteps, AboveTheStabilityLimitAreRefused) {
  const DiscreteProblem p(
      "[mesh]\nbox = { cells = [8, 8], cell = \"quadrilateral\", periodic = [\"x\", "
      "\"y\"] }\n[fields]\nq = { element = \"FV\" }\n[conservation_law]\nflux.q = "
      "\"[2, 0]*q\"\n[time]\nend = 1\nstep = 0.1\n");
  LawRates op(test_device(), p.d, {});
  const std::vector<double> first(64, 1.0);
  const double limit = 2.5127 / 2 / 8 / 4;
  const auto start = [&](double step) {
    ExplicitStepper stepper(op, {.scheme = TimeScheme::ssprk3, .step = step, .stops = {1}},
                            p.d.field_offset);
    stepper.start(first);
  };
  EXPECT_NO_THROW(start(0.99 * limit));
  EXPECT_THROW(start(1.01 * limit), Error);
}

// Sod's shock tube: densities stay between those of both sides.
TEST(FvShocks, StayInBounds) {
  const DiscreteProblem p(
      "physics = [\"euler\"]\n[mesh]\nbox = { cells = [80, 3], size = [1, 0.04], cell = "
      "\"triangle\" }\n[fields]\nrho = { element = \"FV\" }\nm = { element = \"FV\", "
      "shape = \"vector\" }\nE = { element = \"FV\" }\n[conservation_law]\nlimiter = "
      "\"barth_jespersen\"\n[boundary.all]\nouter = { rho = \"rho\", m = \"m_mirrored\", "
      "E = \"E\" }\n[time]\nend = 1\ncfl = 0.5\n");
  const Cells cells = cells_of(p.d);
  const std::size_t n = cells.centre.size();
  std::vector<double> first(4 * n, 0.0);
  for (std::size_t c = 0; c < n; ++c) {
    const bool left = cells.centre[c][0] < 0.5;
    first[c] = left ? 1 : 0.125;
    first[3 * n + c] = left ? 2.5 : 0.25;
  }
  const std::vector<double> last = run(p, first, 0.15, 0.5);
  EXPECT_LT(*std::max_element(last.begin(), last.begin() + n), 1.001);
  EXPECT_GT(*std::min_element(last.begin(), last.begin() + n), 0.1249);
  // The plateau between contact and shock, 0.26557 (Toro 2009, table 4.2).
  double nearest = 1;
  for (std::size_t c = 0; c < n; ++c)
    if (std::abs(cells.centre[c][0] - (0.5 + 0.15 * 1.3)) < 0.01)
      nearest = std::min(nearest, std::abs(last[c] - 0.26557));
  EXPECT_LT(nearest, 0.01);
}

} // namespace
} // namespace weft
