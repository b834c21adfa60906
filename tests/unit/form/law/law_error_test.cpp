// What a user reads whose conservation law is wrong.
#include "support/law_testing.h"

namespace weft {
namespace {

using testing::expect_in;

const std::string fields = "[fields]\nq = { element = \"DG2\" }\n"
                           "w = { element = \"DG2\", shape = \"vector\" }\n";

std::string law_error(const std::string &physics, const std::string &lines) {
  const FormSpec spec = testing::law_spec(physics, 2, lines);
  const std::string message = testing::input_error([&] { make_conservation_law(spec); });
  expect_in(".toml", message); // a file, and nearly always a line of it
  return message;
}

// A law of q and w with these equations, and these lines of [boundary].
std::string error_of(const std::string &equations, const std::string &tables = "") {
  return law_error("", fields + "[conservation_law]\n" + equations + tables);
}

const std::string complete = "flux.q = \"w\"\nflux.w = \"q*identity\"\nwave_speed = 1\n";

TEST(LawErrors, Shapes) {
  const std::string flux = error_of("flux.q = \"w\"\nflux.w = \"w\"\nwave_speed = 1\n");
  expect_in("[conservation_law] flux.w, column 1: a vector of 2 where a 2 x 2 matrix is needed",
            flux);
  expect_in("a 2 x 2 matrix where a vector of 2 is needed",
            error_of("flux.q = \"identity\"\nsource.w = 0\nwave_speed = 1\n"));
  expect_in("a scalar where a vector of 2 is needed", error_of(complete + "source.w = 1\n"));
  expect_in("a vector of 2 where a scalar is needed", error_of(complete + "capacity.w = \"X\"\n"));
  expect_in("a vector of 2 where a scalar is needed",
            error_of("flux.q = \"w\"\nsource.w = 0\nwave_speed = \"w\"\n"));
  expect_in("a vector of 2 where a scalar is needed", error_of(complete + "positive = [\"w\"]\n"));
  expect_in("a scalar where a vector of 2 is needed",
            error_of(complete + "numerical_flux = { q = \"0\", w = \"avg(q)\" }\n"));
  expect_in("a scalar where a vector of 2 is needed",
            error_of(complete, "[boundary.x0]\nouter = { q = 0, w = 1 }\n"));
  expect_in("a vector of 2 where a scalar is needed",
            error_of(complete, "[boundary.x0]\nflux = { q = \"n\", w = 0 }\n"));
}

TEST(LawErrors, NamesOfNumericalFluxes) {
  const std::string unknown = error_of(complete + "numerical_flux = \"hllcc\"\n");
  expect_in("an unknown numerical flux", unknown);
  expect_in("central, hll, hllc, lax_friedrichs, roe, upwind", unknown);
  expect_in("did you mean \"hllc\"?", unknown);
  expect_in(
      "allowed: central, hll, hllc, lax_friedrichs, roe, upwind, or",
      error_of(complete + "numerical_flux = \"hlc\"\n", "[numerical_fluxes.upwind]\nevery = 0\n"));
  expect_in("did you mean \"mine\"?", error_of(complete + "numerical_flux = \"mines\"\n",
                                               "[numerical_fluxes.mine]\nevery = 0\n"));
}

TEST(LawErrors, WhatNumericalFluxesNeed) {
  const std::string missing = error_of(complete + "numerical_flux = \"hllc\"\n");
  expect_in("the numerical flux `hllc` needs what this law does not have", missing);
  expect_in("no rho, m, E, u, p, c", missing);
  expect_in("no p, c", law_error("", "[fields]\nrho = { element = \"DG1\" }\n"
                                     "m = { element = \"DG1\", shape = \"vector\" }\n"
                                     "E = { element = \"DG1\" }\n[definitions]\nu = \"m/rho\"\n"
                                     "[conservation_law]\nflux = { rho = 0, m = 0, E = 0 }\n"
                                     "numerical_flux = \"hllc\"\n"));
  expect_in("give a system's own in [numerical_fluxes.upwind]",
            error_of(complete + "numerical_flux = \"upwind\"\n"));
  // A field more than the gas has.
  expect_in("nothing for tracer",
            law_error("euler", "[fields]\ntracer = { element = \"DG3\" }\n[conservation_law]\n"
                               "flux.tracer = \"tracer*u\"\n"));
}

TEST(LawErrors, FieldsOfNumericalFluxes) {
  const std::string lacks = error_of(complete + "numerical_flux = { q = 0 }\n");
  expect_in("a numerical flux that lacks fields of the law", lacks);
  expect_in("nothing for w", lacks);
  expect_in("a numerical flux of `w`, which has no flux",
            error_of("flux.q = \"[q, 0]\"\nsource.w = 0\nnumerical_flux = { q = 0, w = 0 }\n"));
}

TEST(LawErrors, WaveSpeed) {
  const std::string message = error_of("flux.q = \"w\"\nflux.w = \"q*identity\"\n");
  expect_in("a system of conservation laws without a wave speed", message);
  expect_in("[conservation_law]", message);
  EXPECT_NO_THROW(testing::law_of("", 2,
                                  fields + "[conservation_law]\nflux.q = \"[q, 0]\"\n"
                                           "source.w = \"-w\"\n")); // of all fields one scalar
}

TEST(LawErrors, Boundaries) {
  const std::string outer = error_of(complete, "[boundary.x0]\nouter = { q = 0 }\n");
  expect_in("fields without a state outside on a boundary", outer);
  expect_in("[boundary] x0", outer);
  expect_in("nothing for w", outer);
  expect_in("nothing for q", error_of(complete, "[boundary.x0]\nflux = { w = 0 }\n"));
  expect_in("outer gradients of a law without gradients",
            error_of(complete, "[boundary.x0]\nouter = { q = 0, w = 0 }\n"
                               "outer_gradient = { q = [0, 0] }\n"));
  expect_in("a state outside that depends on gradients",
            error_of("flux.q = \"-grad(q)\"\nsource.w = 0\n",
                     "[boundary.x0]\nouter = { q = \"q + grad(q)[0]\" }\n"));
}

TEST(LawErrors, Sides) {
  expect_in("`q` has two values on an interior facet",
            error_of(complete + "numerical_flux = { q = \"q\", w = 0 }\n"));
  expect_in("plus() where there is a cell on one side only",
            error_of(complete, "[boundary.x0]\nouter = { q = \"plus(q)\", w = 0 }\n"));
  expect_in("avg() where there is a cell on one side only",
            error_of(complete, "[boundary.x0]\nouter = { q = \"avg(q)\", w = 0 }\n"));
  expect_in("minus() has a meaning on interior facets only",
            error_of("flux.q = \"[minus(q), 0]\"\nsource.w = 0\n"));
  expect_in("the normal n exists on facets only",
            error_of("flux.q = \"q*n\"\nsource.w = 0\nwave_speed = 1\n"));
}

TEST(LawErrors, NamesThatNumericalFluxesHave) {
  expect_in("the name `flux` has a meaning in numerical fluxes",
            error_of(complete, "[definitions]\nflux = 1\n"));
  expect_in("`flux` has a meaning in numerical fluxes only",
            error_of("flux.q = \"flux\"\nsource.w = 0\n"));
  expect_in("this law has no `normal_speed`",
            error_of(complete + "numerical_flux = { q = \"avg(normal_speed)\", w = 0 }\n"));
  // Without a conservation law the names are free.
  FormSpec spec = testing::one_field(2, "flux*test(u)");
  spec.definitions = {testing::definition("flux", "2*u")};
  EXPECT_NO_THROW(make_form(spec));
}

TEST(LawErrors, Gradients) {
  expect_in("a numerical flux with gradients",
            error_of("flux.q = \"-grad(q)\"\nsource.w = 0\n"
                     "numerical_flux = { q = \"dot(avg(grad(q)), n)\" }\n"));
  expect_in("gradients in a conservation law of order 0",
            law_error("", "[fields]\nq = { element = \"DG0\" }\n[conservation_law]\n"
                          "flux.q = \"-grad(q)\"\n"));
  expect_in("a second derivative in a conservation law",
            error_of("flux.q = \"grad(div(grad(q)))\"\n"
                     "source.w = 0\n"));
  const FormSpec spec = testing::law_spec("", 2,
                                          fields + "[conservation_law]\nsource.w = 0\n"
                                                   "flux.q = \"-norm(grad(q))*grad(q)\"\n");
  try {
    make_conservation_law(spec);
    FAIL() << "a flux that is not linear in the gradients was taken";
  } catch (const Error &e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    expect_in("not linear in the gradients", e.what());
  }
}

TEST(LawErrors, WhatACapacityAndASpeedMayNotBe) {
  for (const char *capacity : {"1 + q^2", "1 + t"})
    expect_in("a capacity that changes with time",
              error_of(complete + "capacity.q = \"" + capacity + "\"\n"));
  const std::string flux = "flux.q = \"[q, 0]\"\nsource.w = 0\n";
  for (const char *line : {"wave_speed = \"norm(grad(q))\"\n", "positive = [\"grad(q)[0]\"]\n",
                           "capacity.q = \"grad(q)[0]\"\n"})
    expect_in("gradients outside of a flux or a source", error_of(flux + line));
}

TEST(LawErrors, DimensionsOfPhysics) {
  expect_in("a 3 x 3 matrix where a 3 x 2 matrix is needed", law_error("maxwell", ""));
}

} // namespace
} // namespace weft
