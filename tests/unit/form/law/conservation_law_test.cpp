// Conservation laws made pointwise functions: fluxes by name and by expression, boundaries, second
// derivatives, parameters of both sides.
#include <cmath>
#include <set>

#include "support/law_testing.h"

namespace weft {
namespace {

using testing::at_facet;
using testing::in_cell;
using testing::law_of;
using testing::SideState;
using testing::some_penalty;

const std::string scalar = "[fields]\nq = { element = \"DG2\" }\n";
const std::vector<double> normal = {0.6, 0.8};

void expect_near(const std::vector<double> &found, const std::vector<double> &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-13) << i;
}

// The flux is a q with a = (2, -1): a.n = 0.4.
TEST(ConservationLaws, OfOneScalar) {
  const std::string lines = scalar + "[conservation_law]\nflux.q = \"[2*q, -q]\"\n"
                                     "capacity.q = 4\nsource.q = \"3*q + x\"\n";
  const ConservationLaw law = law_of("", 2, lines + "numerical_flux = \"upwind\"");
  const SideState minus{.q = {3}}, plus{.q = {5}};
  EXPECT_TRUE(law.linear);
  EXPECT_FALSE(law.viscous);
  EXPECT_EQ(law.num_components, 1);
  expect_near(in_cell(law, law.flux, minus), {6, -3});
  expect_near(in_cell(law, law.capacity, minus), {4});
  expect_near(in_cell(law, law.wave_speed, minus), {std::sqrt(5.0) / 4});
  expect_near(in_cell(law, law.source, minus),
              {9 + testing::some_value({.kind = SymbolKind::coordinate})});
  EXPECT_TRUE(law.diffusivity.output_is_zero(0));
  expect_near(at_facet(law, law.numerical_flux, minus, plus, normal), {0.4 * 3});
  expect_near(at_facet(law, law.numerical_flux, minus, plus, {-0.6, -0.8}), {-0.4 * 5});

  const ConservationLaw central = law_of("", 2, lines + "numerical_flux = \"central\"");
  expect_near(at_facet(central, central.numerical_flux, minus, plus, normal), {0.4 * 4});
  // Without a name: Lax-Friedrichs, s C = sqrt(5).
  const ConservationLaw standard = law_of("", 2, lines);
  expect_near(at_facet(standard, standard.numerical_flux, minus, plus, normal),
              {0.4 * 4 - std::sqrt(5.0)});
}

TEST(ConservationLaws, OfBurgers) {
  const ConservationLaw law =
      law_of("", 2, scalar + "[conservation_law]\nflux.q = \"[q^2/2, 0]\"\n");
  EXPECT_FALSE(law.linear);
  expect_near(in_cell(law, law.wave_speed, {.q = {-3}}), {3});
  expect_near(at_facet(law, law.numerical_flux, {.q = {2}}, {.q = {-4}}, {1, 0}),
              {0.5 * (2 + 8) + 0.5 * 4 * 6});
}

TEST(ConservationLaws, FluxesInTheUsersWords) {
  const std::string fields =
      "[fields]\np = { element = \"DG1\" }\nv = { element = \"DG1\", shape = \"vector\" }\n"
      "w = { element = \"DG1\" }\n";
  const std::string equations = "flux.p = \"v\"\nflux.v = \"p*identity\"\nsource.w = \"p\"\n"
                                "wave_speed = 1\n";
  const SideState minus{.q = {1, 2, 3, 9}}, plus{.q = {5, 7, 11, 9}};
  const std::vector<double> central = {0.6 * 4.5 + 0.8 * 7, 3 * 0.6, 3 * 0.8, 0};
  for (const std::string flux :
       {"numerical_flux = { p = \"dot(avg(v), n)\", v = \"avg(p)*n\" }\n",
        "numerical_flux = { p = \"dot(avg(v), n)\", every = \"dot(avg(flux), n)\" }\n",
        "numerical_flux = \"mine\"\n[numerical_fluxes.mine]\nevery = \"dot(avg(flux), n)\"\n",
        // One of the case comes before one of Weft.
        "numerical_flux = \"upwind\"\n[numerical_fluxes.upwind]\np = \"half*dot(minus(v) + "
        "plus(v), n)\"\nv = \"half*(minus(p) + plus(p))*n\"\n[definitions]\nhalf = 0.5\n"}) {
    const ConservationLaw law = law_of("", 2, fields + "[conservation_law]\n" + equations + flux);
    expect_near(at_facet(law, law.numerical_flux, minus, plus, normal), central);
  }
}

TEST(ConservationLaws, ParametersByRegionAreThoseOfTheSide) {
  const ConservationLaw law = law_of("", 2,
                                     scalar + "[parameters]\nk = { a = 2, b = 3 }\n"
                                              "[conservation_law]\nflux.q = \"[k*q, 0]\"\n"
                                              "numerical_flux = \"central\"\n"
                                              "[boundary.wall]\nouter.q = \"k*minus(q)\"\n");
  ASSERT_EQ(law.cell_table.size(), 1u);
  EXPECT_TRUE(law.facet_table.empty());
  const SideState minus{.q = {5}, .parameters = {2}}, plus{.q = {7}, .parameters = {3}};
  expect_near(at_facet(law, law.numerical_flux, minus, plus, {1, 0}), {(10 + 21) / 2.0});
  // The outside has the materials of the inside.
  const BoundaryCondition &wall = law.boundaries.at(0);
  expect_near(at_facet(law, wall.outer, minus, minus, {1, 0}), {10});
  expect_near(at_facet(law, wall.flux, minus, minus, {1, 0}), {(10 + 20) / 2.0});
}

TEST(ConservationLaws, AuxiliaryFieldsAreThoseOfTheSide) {
  const ConservationLaw law = law_of("", 2,
                                     scalar + "[auxiliary]\na = { value = \"x\" }\n"
                                              "[conservation_law]\nflux.q = \"[a*q, 0]\"\n"
                                              "numerical_flux = \"central\"\n"
                                              "[boundary.wall]\nouter.q = \"-q\"\n");
  const auto sides = [](const PointwiseFunction &function) {
    std::set<Side> found;
    for (const Symbol &s : function.symbols)
      if (s.kind == SymbolKind::auxiliary)
        found.insert(s.side);
    return found;
  };
  EXPECT_EQ(sides(law.flux), std::set{Side::none});
  EXPECT_EQ(sides(law.numerical_flux), (std::set{Side::minus, Side::plus}));
  EXPECT_TRUE(law.boundaries.at(0).flux.output_is_zero(0)); // a (q - q)/2
}

TEST(ConservationLaws, Boundaries) {
  const ConservationLaw law =
      law_of("euler", 2,
             "[parameters]\np_wall = { wall = 3, far = 4 }\n"
             "[boundary.wall]\nouter = { rho = \"rho\", m = \"m_mirrored\", E = \"minus(E)\" }\n"
             "[boundary.far]\nouter = { rho = \"x\", m = [1, \"t\"], E = 9 }\n"
             "[boundary.pressed]\nflux = { rho = 0, m = \"p_wall*n\", E = 0 }\n"
             "[boundary.all]\nflux = { rho = \"dot(flux, n)\" }\n"
             "outer = { rho = 1, m = 0, E = 4 }\n");
  ASSERT_EQ(law.boundaries.size(), 4u);
  EXPECT_EQ(law.boundaries[0].groups, std::vector<std::string>{"wall"});
  EXPECT_TRUE(law.boundaries[3].groups.empty());
  const SideState inside{.q = {1.5, 0.7, -0.4, 4}};
  const auto on = [&](const PointwiseFunction &f) { return at_facet(law, f, inside, {}, normal); };
  const double mn = 0.7 * 0.6 - 0.4 * 0.8;
  const SideState mirrored{.q = {1.5, 0.7 - 2 * mn * 0.6, -0.4 - 2 * mn * 0.8, 4}};
  expect_near(on(law.boundaries[0].outer), mirrored.q);
  expect_near(on(law.boundaries[0].flux),
              at_facet(law, law.numerical_flux, inside, mirrored, normal));
  EXPECT_NEAR(on(law.boundaries[0].flux)[0], 0, 1e-14); // nothing goes through a wall
  EXPECT_NEAR(on(law.boundaries[0].flux)[3], 0, 1e-14);

  const double x = testing::some_value({.kind = SymbolKind::coordinate});
  const double t = testing::some_value({.kind = SymbolKind::time});
  expect_near(on(law.boundaries[1].outer), {x, 1, t, 9});
  expect_near(on(law.boundaries[1].flux),
              at_facet(law, law.numerical_flux, inside, {.q = {x, 1, t, 9}}, normal));

  ASSERT_EQ(law.facet_table.size(), 1u); // by facet group, as no cell uses it
  EXPECT_TRUE(law.boundaries[2].flux.uses(SymbolKind::facet_parameter));
  expect_near(on(law.boundaries[2].outer), inside.q);

  const auto mixed = on(law.boundaries[3].flux);
  const auto numerical = at_facet(law, law.numerical_flux, inside, {.q = {1, 0, 0, 4}}, normal);
  EXPECT_NEAR(mixed[0], mn, 1e-14);
  EXPECT_NEAR(mixed[3], numerical[3], 1e-14);
}

// -k grad(q) with k = 2, beside a transport: the interior penalty of both sides.
TEST(ConservationLaws, SecondDerivatives) {
  const ConservationLaw law = law_of(
      "", 2,
      scalar + "[parameters]\nk = { a = 1 }\n[conservation_law]\n"
               "flux.q = \"[q, 0] - k*grad(q)\"\ncapacity.q = 4\nnumerical_flux = \"central\"\n"
               "[boundary.cold]\nouter.q = 7\n"
               "[boundary.closed]\nouter.q = \"q\"\n"
               "outer_gradient.q = \"grad(q) - 2*dot(grad(q), n)*n\"\n"
               "[boundary.free]\nflux.q = 5\n");
  EXPECT_TRUE(law.viscous);
  EXPECT_TRUE(law.linear);
  const SideState minus{.q = {3}, .gradient = {1, 2}, .parameters = {2}};
  const SideState plus{.q = {5}, .gradient = {-1, 4}, .parameters = {10}};
  expect_near(in_cell(law, law.flux, minus), {3 - 2, -4});
  expect_near(in_cell(law, law.wave_speed, minus), {1 / 4.0}); // of the part without gradients
  expect_near(in_cell(law, law.diffusivity, minus), {2 / 4.0});
  const double in_minus = 0.6 * 1 + 0.8 * 2 - some_penalty * (3 - 5);
  const double in_plus = -0.6 + 0.8 * 4 - some_penalty * (3 - 5);
  expect_near(at_facet(law, law.numerical_flux, minus, plus, normal),
              {0.6 * 4 - (2 * in_minus + 10 * in_plus) / 2});

  const auto on = [&](int b) { return at_facet(law, law.boundaries[b].flux, minus, {}, normal); };
  expect_near(on(0), {0.6 * 5 - 2 * (0.6 + 1.6 - some_penalty * (3 - 7))});
  expect_near(on(1), {0.6 * 3}); // no conduction
  expect_near(on(2), {5});
}

TEST(ConservationLaws, GradientsInASource) {
  const ConservationLaw law = law_of(
      "", 2, scalar + "[conservation_law]\nflux.q = \"[q, q]\"\nsource.q = \"dot(grad(q), X)\"");
  EXPECT_TRUE(law.viscous);
  EXPECT_TRUE(law.linear);
  EXPECT_FALSE(law.numerical_flux.uses(SymbolKind::penalty));
}

// The stress of a shear flow u = (y, 0), and heat that flows in a gas at rest.
TEST(ConservationLaws, NavierStokes) {
  const ConservationLaw law = law_of("navier_stokes", 2, "[parameters]\nmu = 0.1\nPr = 0.5\n");
  EXPECT_TRUE(law.viscous);
  const ConservationLaw euler = law_of("euler", 2);
  const SideState shear{.q = {2, 0, 0, 5}, .gradient = {0, 0, 0, 2, 0, 0, 0, 0}};
  std::vector<double> expected = in_cell(euler, euler.flux, shear);
  expected[3] -= 0.1; // of m[0] in direction 1
  expected[4] -= 0.1;
  expect_near(in_cell(law, law.flux, shear), expected);

  // theta = 0.4 E/rho; kappa = mu gamma / ((gamma - 1) Pr) = 0.7
  const SideState heat{.q = {2, 0, 0, 5}, .gradient = {0, 0, 0, 0, 0, 0, 3, -1}};
  expected = in_cell(euler, euler.flux, heat);
  expected[6] -= 0.7 * 0.4 * 3 / 2;
  expected[7] += 0.7 * 0.4 * 1 / 2;
  expect_near(in_cell(law, law.flux, heat), expected);
  // The diffusivity of rho is 0, of m 4/3 mu/rho, of E kappa (gamma - 1)/rho.
  expect_near(in_cell(law, law.diffusivity, heat), {0.7 * 0.4 / 2});

  // An insulated wall that the gas sticks to takes no heat and no mass.
  const ConservationLaw wall =
      law_of("navier_stokes", 2,
             "[boundary.w]\nouter = { rho = \"rho\", m = \"-m\", E = \"E\" }\nflux = { E = 0 }\n");
  const SideState some{.q = {1.5, 0.7, -0.4, 4}, .gradient = {1, 2, 3, 4, 5, 6, 7, 8}};
  const auto flux = at_facet(wall, wall.boundaries[0].flux, some, {}, normal);
  EXPECT_NEAR(flux[0], 0, 1e-14);
  EXPECT_EQ(flux[3], 0);
}

TEST(ConservationLaws, ShallowWaterOverABed) {
  const ConservationLaw law =
      law_of("shallow_water", 2, "[parameters]\nbed = \"2*x - y\"\ng = 10\n");
  expect_near(in_cell(law, law.source, {.q = {3, 1, 1}}), {0, -60, 30});
  expect_near(in_cell(law, law.positive, {.q = {3, 1, 1}}), {3});
}

// Each boundary that the heads of the files name.
TEST(ConservationLaws, BoundariesOfWaves) {
  const ConservationLaw sound =
      law_of("acoustics", 2,
             "[boundary.rigid]\nouter = { p = \"p\", v = \"v_mirrored\" }\n"
             "[boundary.free]\nouter = { p = \"-p\", v = \"v\" }\n"
             "[boundary.open]\nouter = { p = 0, v = 0 }\n");
  const SideState inside{.q = {3, 1, 2}};
  const auto sound_on = [&](int b) {
    return at_facet(sound, sound.boundaries[b].flux, inside, {}, normal);
  };
  const double vn = 0.6 + 1.6;
  EXPECT_NEAR(sound_on(0)[0], 0, 1e-14);
  EXPECT_NEAR(sound_on(1)[1], 0, 1e-14);
  EXPECT_NEAR(sound_on(1)[2], 0, 1e-14);
  expect_near(sound_on(2), {(3 + vn) / 2, (3 + vn) / 2 * 0.6, (3 + vn) / 2 * 0.8});

  const ConservationLaw light = law_of("maxwell", 3,
                                       "[boundary.pec]\nouter = { E = \"-E\", H = \"H\" }\n"
                                       "[boundary.pmc]\nouter = { E = \"E\", H = \"-H\" }\n");
  const SideState field{.q = {1, 2, 3, 4, 5, 6}};
  const std::vector<double> n = {0.6, 0, 0.8};
  const auto light_on = [&](int b) {
    return at_facet(light, light.boundaries[b].flux, field, {}, n);
  };
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(light_on(0)[3 + k], 0, 1e-14); // n x E = 0
    EXPECT_NEAR(light_on(1)[k], 0, 1e-14);     // n x H = 0
  }
}

TEST(ConservationLaws, EquationsOfEachNode) {
  const ConservationLaw law =
      law_of("", 2, scalar + "[conservation_law]\nsource.q = \"-q\"\n[boundary.all]\nflux.q = 0\n");
  EXPECT_TRUE(law.numerical_flux.output_is_zero(0));
  EXPECT_TRUE(law.wave_speed.output_is_zero(0));
}

} // namespace
} // namespace weft
