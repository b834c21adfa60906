// Kernels of finite volumes on the device WEFT_TEST_DEVICE (default opencl) against the reference,
// and what they keep whatever the mesh.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "op/evaluate/field_values.h"
#include "op/law/mesh/fv_geometry.h"
#include "support/fv_case.h"
#include "support/test_device.h"

namespace weft {
namespace {

class FvKernels : public testing::TestWithParam<FvCase> {};

TEST_P(FvKernels, AgreeWithTheReference) {
  const FvCase c = GetParam();
  const FvProblem p(c);
  ASSERT_TRUE(p.problem.d.law->finite_volume);
  expect_dg_reference(test_device(), p.problem.d, c.settings(test_device().info().is_cpu),
                      c.of.stage_update());
}

INSTANTIATE_TEST_SUITE_P(Cells, FvKernels, testing::ValuesIn(fv_cases()),
                         [](const auto &info) { return info.param.name(); });

// Groups of lanes with and without cells, some work-items without groups; neighbours in a line
// only.
TEST(FvSizes, OneCellAndRemaindersOfLanes) {
  const FvCase c{{{1, 1, 0, 3, 0, 2, 0, 3, 4}}, corrected + smooth};
  for (const char *cells : {"[1, 1]", "[31, 1]", "[97, 1]"}) {
    SCOPED_TRACE(cells);
    const FvProblem p(c, cells);
    expect_dg_reference(test_device(), p.problem.d, c.settings(test_device().info().is_cpu),
                        c.of.stage_update());
  }
}

TEST(FvStages, GiveTheSameBitsFusedOrNotAndEveryTime) {
  FvCase c{{{2, 1, 0, 2, 0, 1, 0, 0, 4}}, smooth};
  const FvProblem p(c);
  Device &device = test_device();
  DgSettings settings = c.settings(device.info().is_cpu);
  LawRates op(device, p.problem.d, settings);
  const DgStageResult first = run_dg_stage(device, op, p.problem.d, c.of.stage_update());
  for (const bool fused : {false, true}) {
    settings.fused = fused;
    op.choose(settings);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(run_dg_stage(device, op, p.problem.d, c.of.stage_update()).out, first.out);
  }
}

std::vector<double> rates_of(LawRates &op, const std::vector<double> &dofs) {
  Device &device = test_device();
  Vector q = make_vector(device, op.size(), op.precision(), "q");
  Vector rate = make_vector(device, op.size(), op.precision(), "rate");
  op.set_state(dofs, q);
  op.stage(0, 1, {.rate = 1}, q, nullptr, nullptr, rate);
  return op.state(rate);
}

double largest(const std::vector<double> &values) {
  double most = 0;
  for (const double v : values)
    most = std::max(most, std::abs(v));
  return most;
}

// The volumes of cells by their centroids' positions, as the reference has them.
double sum_over(const Discretisation &d, const std::vector<double> &values) {
  double sum = 0;
  for (const double v : reference::dg_integrals(d, values))
    sum += v;
  return sum;
}

class FvCells : public testing::TestWithParam<const char *> {};

std::string fv_box(const std::string &cell, const std::string &cells, const std::string &periodic) {
  return "[mesh]\nbox = { cells = " + cells + ", cell = \"" + cell + "\", distort = 0.2" +
         (periodic.empty() ? "" : ", periodic = " + periodic) + " }\n";
}

// In a periodic box a gas in motion stays as it is, and sums are kept.
TEST_P(FvCells, KeepFreeStreamsAndSums) {
  const bool flat = is_flat(GetParam());
  const DiscreteProblem p(
      "physics = [\"euler\"]\n" +
      fv_box(GetParam(), flat ? "[4, 4]" : "[3, 3, 3]",
             flat ? "[\"x\", \"y\"]" : "[\"x\", \"y\", \"z\"]") +
      "[fields]\nrho = { element = \"FV\" }\nm = { element = \"FV\", shape = \"vector\" "
      "}\nE = { element = \"FV\" }\n[conservation_law]\n" +
      sharp + "[time]\nend = 1.0\ncfl = 0.5\n");
  LawRates op(test_device(), p.d, {});
  const std::int64_t cells = p.mesh.num_cells();
  std::vector<double> stream(cells, 1.2);
  for (std::int64_t c = 0; c < cells; ++c)
    for (int k = 0; k < p.mesh.dim; ++k)
      stream.push_back(0.3 + 0.2 * k);
  stream.insert(stream.end(), cells, 2.7);
  Vector q = make_vector(test_device(), op.size(), op.precision(), "q");
  op.set_state(stream, q);
  EXPECT_LT(op.unit_step(0, q) * largest(rates_of(op, stream)), 1e-12);

  const std::vector<double> rate = rates_of(op, dg_state(p.d));
  std::vector<double> size = rate;
  for (double &v : size)
    v = std::abs(v);
  EXPECT_LT(std::abs(sum_over(p.d, rate)), 1e-13 * sum_over(p.d, size));
}

// 1 + 2 x - 3 y, in space + z/2.
std::vector<double> linear_at_centroids(const Discretisation &d) {
  std::vector<double> values;
  for (int s = 0; s < static_cast<int>(d.mesh->sets.size()); ++s) {
    const FvPositions positions = fv_positions(d, s);
    for (std::size_t c = 0; c < positions.volume.size(); ++c) {
      const double *x = &positions.centre[c * d.mesh->dim];
      values.push_back(1 + 2 * x[0] - 3 * x[1] + (d.mesh->dim == 2 ? 0 : 0.5 * x[2]));
    }
  }
  return values;
}

// A linear field at rest under diffusion by a full tensor, given on the boundary: gradients are
// exact, and so are the corrected fluxes.
TEST_P(FvCells, KeepLinearFieldsUnderCorrectedDiffusion) {
  const bool flat = is_flat(GetParam());
  const std::string field = flat ? "1 + 2*x - 3*y" : "1 + 2*x - 3*y + 0.5*z";
  const DiscreteProblem p(
      fv_box(GetParam(), flat ? "[4, 3]" : "[3, 3, 2]", "") +
      "[fields]\nu = { element = \"FV\" }\n[definitions]\nK = \"" +
      (flat ? "[[3, 1], [1, 2]]" : "[[3, 1, 0.5], [1, 2, 0.2], [0.5, 0.2, 1]]") +
      "\"\n[conservation_law]\nflux.u = \"-dot(K, grad(u))\"\n" + corrected +
      "[boundary.all]\nouter = { u = \"" + field + "\" }\n[initial]\nu = \"" + field +
      "\"\n[time]\nend = 1.0\ncfl = 0.5\n");
  const std::vector<double> state = initial_state(p.c, p.d);
  EXPECT_LT(difference(state, linear_at_centroids(p.d)), 1e-13);
  LawRates op(test_device(), p.d, {});
  Vector q = make_vector(test_device(), op.size(), op.precision(), "q");
  op.set_state(state, q);
  EXPECT_LT(op.unit_step(0, q) * largest(rates_of(op, state)), 1e-12);
}

// What is linear in x has its means: by x itself, and by a known field that is so.
TEST_P(FvCells, TakeSourcesAtCentroids) {
  const bool flat = is_flat(GetParam());
  const DiscreteProblem p(
      fv_box(GetParam(), flat ? "[4, 3]" : "[3, 3, 2]", "") +
      "[fields]\nu = { element = \"FV\" }\n[auxiliary]\ns = { element = \"P1\", value = "
      "\"1 + x - 3*y\" }\n[conservation_law]\nflux.u = \"" +
      (flat ? "[0, 0]" : "[0, 0, 0]") + "\"\nsource.u = \"s + x" + (flat ? "" : " + 0.5*z") +
      "\"\n[boundary.all]\nflux = { u = 0 }\n[time]\nend = 1.0\ncfl = 0.5\n");
  LawRates op(test_device(), p.d, {});
  EXPECT_LT(
      difference(rates_of(op, std::vector<double>(p.d.num_owned, 0.0)), linear_at_centroids(p.d)),
      1e-13);
}

INSTANTIATE_TEST_SUITE_P(All, FvCells,
                         testing::ValuesIn(std::begin(all_cells), std::end(all_cells)),
                         [](const auto &info) { return std::string(info.param); });

// Densities, momenta and energies that jump by orders of magnitude: linear functions of each that
// stay in bounds make negative pressures.
std::vector<double> torn_gas(const Mesh &mesh) {
  const std::int64_t cells = mesh.num_cells();
  std::vector<double> rho, m, energy;
  for (std::int64_t c = 0; c < cells; ++c) {
    const double phase = 12.9898 * double(c), density = c % 3 == 0 ? 0.01 : 1.0;
    double square = 0;
    for (int k = 0; k < mesh.dim; ++k) {
      const double velocity = 5 * std::sin(phase + 2.1 * k);
      m.push_back(density * velocity);
      square += velocity * velocity;
    }
    rho.push_back(density);
    energy.push_back((c % 5 < 2 ? 0.01 : 10) / 0.4 + 0.5 * density * square);
  }
  rho.insert(rho.end(), m.begin(), m.end());
  rho.insert(rho.end(), energy.begin(), energy.end());
  return rho;
}

TEST(FvStates, AreReconstructedPositive) {
  for (const auto &limiter : {smooth, sharp}) {
    SCOPED_TRACE(limiter);
    const auto text = [&](const std::string &positive) {
      return "physics = [\"euler\"]\n" +
             fv_box("tetrahedron", "[3, 3, 3]", "[\"x\", \"y\", \"z\"]") +
             "[fields]\nrho = { element = \"FV\" }\nm = { element = \"FV\", shape = \"vector\" "
             "}\nE = "
             "{ element = \"FV\" }\n[conservation_law]\n" +
             limiter + positive + "[time]\nend = 1.0\ncfl = 0.5\n";
    };
    const auto rates = [&](const DiscreteProblem &p) {
      LawRates op(test_device(), p.d, {});
      return rates_of(op, torn_gas(p.mesh));
    };
    const DiscreteProblem guarded(text("")), free(text("positive = []\n"));
    EXPECT_LT(difference(rates(guarded), reference::dg_rate(guarded.d, torn_gas(guarded.mesh), 0)),
              1e-11);
    const std::vector<double> unsafe = rates(free);
    EXPECT_TRUE(std::any_of(unsafe.begin(), unsafe.end(), [](double r) { return std::isnan(r); }));
  }
}

// A field in other units, and one about another value, are limited as before.
TEST(FvLimiters, KnowHowLargeAFieldIs) {
  const auto rates = [](const std::string &u, double scale) {
    const DiscreteProblem p(
        fv_box("triangle", "[12, 12]", "") +
        "[fields]\nu = { element = \"FV\" }\n[conservation_law]\nflux.u = \"[1, 0.5]*u\"\n"
        "numerical_flux = \"upwind\"\n" +
        smooth + "[boundary.all]\nouter = { u = \"" + u + "\" }\n[initial]\nu = \"" + u +
        "\"\n[time]\nend = 1.0\ncfl = 0.5\n");
    LawRates op(test_device(), p.d, {});
    std::vector<double> rate = rates_of(op, initial_state(p.c, p.d));
    for (double &r : rate)
      r /= scale;
    return rate;
  };
  const std::string hill = "exp(-30*((x - 0.4)^2 + (y - 0.6)^2))";
  const std::vector<double> one = rates(hill, 1);
  EXPECT_LT(difference(rates("1e5*" + hill, 1e5), one), 1e-11);
  EXPECT_LT(difference(rates("300 + " + hill, 1), one), 1e-9);
  EXPECT_LT(difference(rates("1e-6*" + hill, 1e-6), one), 1e-11);
}

// Squares with sides h lose |a| 4 h/(2 h^2) by waves and 4 K/h^2 by diffusion.
TEST(FvSteps, KeepMeansPositive) {
  const auto unit_step = [](const std::string &flux) {
    const DiscreteProblem p(
        "[mesh]\nbox = { cells = [4, 4], cell = \"quadrilateral\", periodic = [\"x\", "
        "\"y\"] }\n[fields]\nu = { "
        "element = \"FV\" }\n[conservation_law]\nflux.u = \"" +
        flux + "\"\n[time]\nend = 1.0\ncfl = 0.5\n");
    LawRates op(test_device(), p.d, {});
    Vector q = make_vector(test_device(), op.size(), op.precision(), "q");
    std::vector<double> dofs(op.mesh().sets[0].slot.size(), 1.0);
    op.set_state(dofs, q);
    const double step = op.unit_step(0, q);
    dofs[3] = std::numeric_limits<double>::quiet_NaN();
    op.set_state(dofs, q);
    EXPECT_TRUE(std::isnan(op.unit_step(0, q)));
    return step;
  };
  EXPECT_NEAR(unit_step("[3, 4]*u"), 1 / (5 * 8.0), 1e-13);
  EXPECT_NEAR(unit_step("-2*grad(u)"), 1 / (2 * 64.0), 1e-13);
  EXPECT_NEAR(unit_step("[3, 4]*u - 2*grad(u)"), 1 / (5 * 8.0 + 2 * 64.0), 1e-13);
}

} // namespace
} // namespace weft
