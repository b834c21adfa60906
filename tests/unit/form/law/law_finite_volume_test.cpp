// Finite volumes: reconstruction on facets, two-point and corrected diffusion between two cells and
// at boundaries, against closed formulas.
#include <cmath>

#include "case/flux_file.h"
#include "support/law_testing.h"

namespace weft {
namespace {

using testing::at_facet;
using testing::law_of;
using testing::RandomStates;
using testing::SideState;
using Values = std::vector<double>;

const std::string fv_scalar = "[fields]\nq = { element = \"FV\" }\n";

double dot(const Values &a, const Values &b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

double flux_of(const ConservationLaw &law, const SideState &minus, const SideState &plus,
               const Values &n) {
  return at_facet(law, law.numerical_flux, minus, plus, n).at(0);
}

// Offsets of two cells on either side of a facet, as skew as cells may be.
void place(RandomStates &random, const Values &n, SideState &minus, SideState &plus) {
  const int dim = static_cast<int>(n.size());
  minus.offset = random.list(dim, -0.5, 0.5);
  plus.offset = random.list(dim, -0.5, 0.5);
  for (const auto &[side, sign] : {std::pair(&minus, 1.0), std::pair(&plus, -1.0)}) {
    const double length = sign * random.in(0.3, 1) - dot(side->offset, n);
    for (int d = 0; d < dim; ++d)
      side->offset[d] += length * n[d];
  }
}

// The same linear functions on both sides: values at the facet's middle, [component], and
// gradients, [component, direction].
void set_linear(const Values &at_middle, const Values &gradient, SideState &side) {
  const std::size_t dim = side.offset.size();
  side.gradient = gradient;
  side.q = at_middle;
  for (std::size_t k = 0; k < at_middle.size(); ++k)
    for (std::size_t d = 0; d < dim; ++d)
      side.q[k] -= gradient[k * dim + d] * side.offset[d];
}

ConservationLaw tensor_law(int dim, const std::string &diffusion, const std::string &more = "") {
  const std::string tensor =
      dim == 2 ? "[[2, 0.5], [0.5, 1]]" : "[[2, 0.5, -0.3], [0.5, 1, 0.2], [-0.3, 0.2, 3]]";
  return law_of("", dim,
                fv_scalar + "[parameters]\nK = \"" + tensor +
                    "\"\n[conservation_law]\nflux.q = \"-dot(K, grad(q))\"\ndiffusion = \"" +
                    diffusion + "\"\n" + more);
}

Values tensor_times(const Values &n) {
  if (n.size() == 2)
    return {2 * n[0] + 0.5 * n[1], 0.5 * n[0] + n[1]};
  return {2 * n[0] + 0.5 * n[1] - 0.3 * n[2], 0.5 * n[0] + n[1] + 0.2 * n[2],
          -0.3 * n[0] + 0.2 * n[1] + 3 * n[2]};
}

TEST(FiniteVolumes, LinearFieldsHaveTheExactFluxOfATensor) {
  RandomStates random(1);
  for (const int dim : {2, 3}) {
    const ConservationLaw law = tensor_law(dim, "corrected", "[boundary.all]\nouter.q = \"1.5\"\n");
    for (int trial = 0; trial < 20; ++trial) {
      const Values n = random.unit_vector(dim), gradient = random.list(dim, -2, 2);
      SideState minus, plus;
      place(random, n, minus, plus);
      set_linear({1.5}, gradient, minus);
      set_linear({1.5}, gradient, plus);
      const double exact = -dot(tensor_times(n), gradient);
      EXPECT_NEAR(flux_of(law, minus, plus, n), exact, 1e-12);
      EXPECT_NEAR(at_facet(law, law.boundaries[0].flux, minus, {}, n)[0], exact, 1e-12);
      const Values conormal = at_facet(law, law.conormal, minus, {}, n);
      for (int d = 0; d < dim; ++d)
        EXPECT_NEAR(conormal[d], tensor_times(n)[d], 1e-14);
    }
  }
}

// Where K n lies along the lines to the centres, two values give the flux, and the corrected one is
// the same whatever the gradients.
TEST(FiniteVolumes, TwoPointFluxWhereTheLinesFollowTheConormal) {
  RandomStates random(2);
  const ConservationLaw two_point =
      tensor_law(3, "two_point", "[boundary.all]\nouter.q = \"1.5\"\n");
  const ConservationLaw corrected =
      tensor_law(3, "corrected", "[boundary.all]\nouter.q = \"1.5\"\n");
  EXPECT_FALSE(two_point.cell_gradients);
  for (int trial = 0; trial < 10; ++trial) {
    const Values n = random.unit_vector(3);
    const double h_minus = random.in(0.1, 1), h_plus = random.in(0.1, 1);
    SideState minus{.q = {2}, .gradient = random.list(3, -1, 1), .offset = tensor_times(n)};
    SideState plus{.q = {-1}, .gradient = random.list(3, -1, 1), .offset = tensor_times(n)};
    for (int d = 0; d < 3; ++d) {
      minus.offset[d] *= h_minus;
      plus.offset[d] *= -h_plus;
    }
    const double exact = 3 / (h_minus + h_plus); // |K n| / |o| = 1/h
    EXPECT_NEAR(flux_of(two_point, minus, plus, n), exact, 1e-12 * exact);
    EXPECT_NEAR(flux_of(corrected, minus, plus, n), exact, 1e-12 * exact);
    for (const ConservationLaw *law : {&two_point, &corrected})
      EXPECT_NEAR(at_facet(*law, law->boundaries[0].flux, minus, {}, n)[0], 0.5 / h_minus,
                  1e-12 / h_minus);
  }
}

TEST(FiniteVolumes, HarmonicMeanWhereTheDiffusivityJumps) {
  for (const std::string diffusion : {"two_point", "corrected"}) {
    const ConservationLaw law =
        law_of("", 2,
               fv_scalar +
                   "[parameters]\nk = { a = 1, b = 2 }\n[conservation_law]\n"
                   "flux.q = \"-k*grad(q)\"\ndiffusion = \"" +
                   diffusion + "\"\n");
    const Values n = {0.6, 0.8};
    SideState minus{.q = {5}, .gradient = {3, -1}, .parameters = {4}, .offset = {0.3, 0.4}};
    SideState plus{.q = {1}, .gradient = {2, 7}, .parameters = {10}, .offset = {-0.6, -0.8}};
    EXPECT_NEAR(flux_of(law, minus, plus, n), 4 / (0.5 / 4 + 1.0 / 10), 1e-13) << diffusion;
    EXPECT_TRUE(law.isotropic);
    plus.parameters = {0};
    EXPECT_EQ(flux_of(law, minus, plus, n), 0) << diffusion;
    minus.parameters = {0};
    EXPECT_EQ(flux_of(law, minus, plus, n), 0) << diffusion; // and no NaN
  }
}

// A tensor that jumps, on skew cells: with the value that the flux tells of one side for the place
// where the line of centres crosses the facet, both sides' fluxes are that flux. And what leaves
// one cell enters the other.
TEST(FiniteVolumes, BothSidesHaveOneFlux) {
  const ConservationLaw law =
      law_of("", 2,
             fv_scalar + "[parameters]\nk = { a = 1, b = 2 }\nl = { a = 1, b "
                         "= 2 }\n[conservation_law]\nflux.q = "
                         "\"-dot([[k, 0.3*k], [0.3*k, l]], grad(q))\"\n"
                         "diffusion = \"corrected\"\n");
  ASSERT_EQ(law.cell_table.size(), 2u);
  EXPECT_FALSE(law.isotropic);
  EXPECT_TRUE(law.cell_gradients);
  EXPECT_FALSE(law.limits_gradients);
  EXPECT_TRUE(law.linear);
  RandomStates random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Values n = random.unit_vector(2);
    SideState minus{.q = random.list(1, -1, 1), .gradient = random.list(2, -1, 1)};
    SideState plus{.q = random.list(1, -1, 1), .gradient = random.list(2, -1, 1)};
    minus.parameters = random.list(2, 0.5, 1.5);
    plus.parameters = random.list(2, 3, 9);
    place(random, n, minus, plus);
    const double flux = flux_of(law, minus, plus, n);
    EXPECT_NEAR(flux_of(law, plus, minus, {-n[0], -n[1]}), -flux, 1e-13);
    const Values line = {minus.offset[0] - plus.offset[0], minus.offset[1] - plus.offset[1]};
    const double fraction = dot(n, minus.offset) / dot(n, line);
    for (int d = 0; d < 2; ++d) {
      minus.offset[d] = fraction * line[d];
      plus.offset[d] = (fraction - 1) * line[d];
    }
    const auto conormal = [&](const SideState &s) {
      const double k = s.parameters[0], l = s.parameters[1];
      return Values{k * (n[0] + 0.3 * n[1]), 0.3 * k * n[0] + l * n[1]};
    };
    const auto value = [&](const SideState &s) {
      const double along = dot(conormal(s), n) / dot(n, s.offset);
      return s.q[0] + dot(s.gradient, s.offset) - (flux + dot(conormal(s), s.gradient)) / along;
    };
    EXPECT_NEAR(value(minus), value(plus), 1e-12);
  }
}

TEST(FiniteVolumes, ReconstructionAtFacets) {
  const std::string transport = fv_scalar + "[conservation_law]\nflux.q = \"[2*q, -q]\"\n"
                                            "numerical_flux = \"upwind\"\n";
  const std::string wall = "[boundary.x0]\nouter.q = 7\n[boundary.x1]\nouter.q = \"q\"\n"
                           "[boundary.y0]\nflux.q = \"q^2\"\n";
  const Values n = {0.6, 0.8}; // a.n = 0.4
  const SideState minus{.q = {3}, .gradient = {2, 5}, .offset = {0.1, 0.3}, .limiter = 0.5};
  const SideState plus{.q = {4}, .gradient = {-2, 1}, .offset = {-0.4, 0.1}, .limiter = 0.25};
  const double in_minus = 3 + 0.5 * (0.2 + 1.5), in_plus = 4 + 0.25 * (0.8 + 0.1);

  const ConservationLaw law = law_of("", 2, transport + wall);
  EXPECT_TRUE(law.finite_volume && law.linear_reconstruction && law.cell_gradients);
  EXPECT_TRUE(law.limits_gradients);
  EXPECT_EQ(law.limiter, "venkatakrishnan");
  EXPECT_FALSE(law.viscous || law.two_point || law.linear);
  EXPECT_TRUE(law.conormal.outputs.empty());
  EXPECT_NEAR(flux_of(law, minus, plus, n), 0.4 * in_minus, 1e-14);
  EXPECT_NEAR(flux_of(law, minus, plus, {-0.6, -0.8}), -0.4 * in_plus, 1e-14);
  const auto on = [&](int b, const Values &normal) {
    return at_facet(law, law.boundaries[b].flux, minus, {}, normal)[0];
  };
  EXPECT_NEAR(on(0, n), 0.4 * in_minus, 1e-14);
  EXPECT_NEAR(on(0, {-0.6, -0.8}), -0.4 * 7, 1e-14);
  EXPECT_NEAR(on(1, n), 0.4 * in_minus, 1e-14);
  EXPECT_NEAR(on(2, n), in_minus * in_minus, 1e-13);
  for (const BoundaryCondition &boundary : law.boundaries)
    EXPECT_FALSE(boundary.outer_is_sample); // no diffusion

  const ConservationLaw without = law_of("", 2, transport + "limiter = \"none\"\n");
  EXPECT_TRUE(without.linear && without.cell_gradients);
  EXPECT_FALSE(without.limits_gradients);
  EXPECT_NEAR(flux_of(without, minus, plus, n), 0.4 * (3 + 1.7), 1e-14);
  const ConservationLaw other = law_of("", 2, transport + "limiter = \"barth_jespersen\"\n");
  EXPECT_EQ(other.limiter, "barth_jespersen");
  const ConservationLaw constant = law_of("", 2, transport + "reconstruction = \"constant\"\n");
  EXPECT_FALSE(constant.linear_reconstruction || constant.cell_gradients ||
               constant.limits_gradients);
  EXPECT_EQ(constant.limiter, "none");
  EXPECT_NEAR(flux_of(constant, minus, plus, n), 0.4 * 3, 1e-14);
}

TEST(FiniteVolumes, BoundariesOfDiffusion) {
  const ConservationLaw law = law_of(
      "", 2,
      fv_scalar + "[conservation_law]\nflux.q = \"-2*grad(q)\"\ndiffusion = \"corrected\"\n"
                  "[boundary.cold]\nouter.q = 7\n[boundary.mirror]\nouter.q = \"-q\"\n"
                  "[boundary.open]\nouter.q = \"q\"\n[boundary.air]\nflux.q = \"3*(q - 1)\"\n");
  const Values n = {0.6, 0.8};
  const SideState inside{.q = {4}, .gradient = {1, -2}, .offset = {0.3, 0.4}};
  const auto flux = [&](int b) { return at_facet(law, law.boundaries[b].flux, inside, {}, n)[0]; };
  const auto value = [&](int b) {
    return at_facet(law, law.boundaries[b].outer, inside, {}, n)[0];
  };
  EXPECT_NEAR(flux(0), -2 * (7 - 4) / 0.5, 1e-13);
  EXPECT_NEAR(value(0), 7, 1e-14);
  EXPECT_NEAR(flux(1), -2 * (0 - 4) / 0.5, 1e-13); // where q = -q
  EXPECT_NEAR(value(1), 0, 1e-14);
  EXPECT_EQ(flux(2), 0);
  EXPECT_NEAR(flux(3), 3 * (4 + 0.3 - 0.8 - 1), 1e-13); // the value there, not the mean
  for (int b = 0; b < 4; ++b)
    EXPECT_EQ(law.boundaries[b].outer_is_sample, b < 2) << b;
}

// Coefficients that depend on the fields are those of the values at the facet.
TEST(FiniteVolumes, NonlinearDiffusion) {
  const ConservationLaw law = law_of(
      "", 2,
      fv_scalar + "[conservation_law]\nflux.q = \"-q^2*grad(q)\"\n[boundary.x0]\nouter.q = 2\n");
  EXPECT_TRUE(law.isotropic && law.linear_reconstruction && !law.linear);
  RandomStates random(4);
  const Values n = random.unit_vector(2), gradient = {0.7, -0.4};
  SideState minus, plus;
  place(random, n, minus, plus);
  set_linear({2}, gradient, minus);
  set_linear({2}, gradient, plus);
  EXPECT_NEAR(flux_of(law, minus, plus, n), -4 * dot(gradient, n), 1e-13);
  EXPECT_NEAR(at_facet(law, law.boundaries[0].flux, minus, {}, n)[0], -4 * dot(gradient, n), 1e-13);
}

const std::string gas = "[fields.rho]\nelement = \"FV\"\n[fields.m]\nelement = \"FV\"\n"
                        "[fields.E]\nelement = \"FV\"\n";

// A flux whose components have gradients of each other: exact where all fields are linear, and the
// same from both sides.
TEST(FiniteVolumes, CoupledDiffusion) {
  RandomStates random(5);
  for (const int dim : {2, 3}) {
    const ConservationLaw law = law_of("navier_stokes", dim,
                                       "[parameters]\nmu = 0.1\n" + gas +
                                           "[boundary.w]\nouter = { rho = \"rho\", m = \"-m\", E = "
                                           "\"E\" }\nflux = { E = 0 }\n");
    EXPECT_TRUE(law.viscous && law.cell_gradients && !law.isotropic && !law.two_point);
    const Values n = random.unit_vector(dim);
    SideState at_facet_middle = random.state(law), minus = at_facet_middle, plus = minus;
    at_facet_middle.gradient = random.list(law.num_components * dim, -0.1, 0.1);
    place(random, n, minus, plus);
    set_linear(at_facet_middle.q, at_facet_middle.gradient, minus);
    set_linear(at_facet_middle.q, at_facet_middle.gradient, plus);
    const Values flux = at_facet(law, law.numerical_flux, minus, plus, n);
    const Values exact = testing::normal_flux(law, at_facet_middle, n);
    for (int k = 0; k < law.num_components; ++k)
      EXPECT_NEAR(flux[k], exact[k], 1e-12) << k;

    plus.q = random.state(law).q;
    Values reverse = n;
    for (double &x : reverse)
      x = -x;
    const Values there = at_facet(law, law.numerical_flux, minus, plus, n);
    const Values back = at_facet(law, law.numerical_flux, plus, minus, reverse);
    for (int k = 0; k < law.num_components; ++k)
      EXPECT_NEAR(there[k], -back[k], 1e-11) << k;

    // A shear flow (c + s y, 0) over a wall below: mu u/h of friction, h the distance.
    SideState shear{.q = Values(law.num_components, 0.0)};
    shear.q[0] = 2;
    shear.q[1] = 2 * 0.3;
    shear.q[dim + 1] = 4;
    shear.gradient = Values(law.num_components * dim, 0.0);
    shear.offset = Values(dim, 0.0);
    shear.offset[dim - 1] = -0.25;
    Values down(dim, 0.0);
    down[dim - 1] = -1;
    const Values wall = at_facet(law, law.boundaries[0].flux, shear, {}, down);
    const ConservationLaw euler = law_of(
        "euler", dim, gas + "[boundary.w]\nouter = { rho = \"rho\", m = \"-m\", E = \"E\" }\n");
    const Values inviscid = at_facet(euler, euler.boundaries[0].flux, shear, {}, down);
    EXPECT_NEAR(wall[1] - inviscid[1], 0.1 * 0.3 / 0.25, 1e-13);
  }
}

TEST(FiniteVolumes, GasesAndWaterWithAllFluxes) {
  const std::string water = "[fields.h]\nelement = \"FV\"\n[fields.m]\nelement = \"FV\"\n";
  RandomStates random(6);
  int built = 0;
  for (const auto &[physics, fields] :
       {std::pair<std::string, std::string>("euler", gas),
        std::pair<std::string, std::string>("shallow_water", water)})
    for (const std::string flux : {"lax_friedrichs", "central", "hll", "hllc", "roe"}) {
      if (physics == "shallow_water" && (flux == "hllc" || flux == "roe"))
        continue;
      const ConservationLaw law =
          law_of(physics, 2, fields + "[conservation_law]\nnumerical_flux = \"" + flux + "\"\n");
      EXPECT_TRUE(law.linear_reconstruction && law.limits_gradients);
      const Values n = random.unit_vector(2);
      const SideState at_middle = random.state(law);
      SideState minus, plus;
      place(random, n, minus, plus);
      const Values gradient = random.list(law.num_components * 2, -0.02, 0.02);
      set_linear(at_middle.q, gradient, minus);
      set_linear(at_middle.q, gradient, plus);
      const Values found = at_facet(law, law.numerical_flux, minus, plus, n);
      const Values exact = testing::normal_flux(law, at_middle, n);
      for (int k = 0; k < law.num_components; ++k)
        EXPECT_NEAR(found[k], exact[k], 1e-11) << physics << " " << flux << " " << k;
      ++built;
    }
  EXPECT_EQ(built, 8);
}

TEST(FiniteVolumes, WhatDecidesTwoPointFluxes) {
  const auto spec = [](const std::string &lines) {
    return testing::law_spec("", 2,
                             fv_scalar + "[conservation_law]\nflux.q = \"-grad(q)\"\n" + lines);
  };
  EXPECT_FALSE(make_conservation_law(spec("")).two_point);
  EXPECT_TRUE(make_conservation_law(spec(""), true).two_point);
  EXPECT_TRUE(make_conservation_law(spec("diffusion = \"two_point\""), false).two_point);
  EXPECT_FALSE(make_conservation_law(spec("diffusion = \"corrected\""), true).two_point);
  // Gradients in a source are asked for all the same.
  const ConservationLaw source =
      make_conservation_law(spec("source.q = \"dot(grad(q), X)\""), true);
  EXPECT_TRUE(source.two_point && source.cell_gradients);
  // Transport beside diffusion: the reconstruction asks for gradients and a limiter.
  const ConservationLaw both =
      law_of("", 2,
             fv_scalar + "[conservation_law]\nflux.q = \"[q, 0] - grad(q)\"\ndiffusion = "
                         "\"two_point\"\n");
  EXPECT_TRUE(both.two_point && both.cell_gradients && both.limits_gradients);
}

TEST(FiniteVolumes, OuterGradientsAreRefused) {
  const FormSpec spec = testing::law_spec(
      "", 2,
      fv_scalar + "[conservation_law]\nflux.q = \"-grad(q)\"\n[boundary.x0]\nouter.q = \"q\"\n"
                  "outer_gradient.q = [0, 0]\n");
  const std::string message = testing::input_error([&] { make_conservation_law(spec); });
  testing::expect_in("outer gradients with finite volumes", message);
  testing::expect_in("give the normal flux itself in `flux`", message);
}

} // namespace
} // namespace weft
