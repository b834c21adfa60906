// Parameters that are set give what a problem with their values from the start gives, with kernels
// made once, and leave all as it was where they make no sense.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/compilations.h"
#include "support/problem_testing.h"
#include "weft/weft.h"

namespace weft {
namespace {

// Parameters in cells, on facets, in prescribed values, known fields, definitions, functionals, a
// vector and one by group.
const char *const heat = R"toml(
[mesh]
box = { size = [1, 1], cells = [6, 5], cell = "triangle" }
[parameters]
k = 2.0
h = 3.0
T_wall = 20.0
strength = 5.0
c = 1.5
direction = [0.3, 0.1]
q = { x1 = 1.0, y1 = 2.0 }
[definitions]
flux = "k*grad(T)"
[fields]
T = { element = "P2" }
[auxiliary]
source = { element = "P1", value = "strength*x" }
[weak_form]
cells.all = "inner(flux, grad(test(T))) + inner(direction, grad(T))*test(T) - source*test(T) + c*T*test(T)"
facets.x1 = "h*T*test(T) - q*test(T)"
facets.y1 = "- q*test(T)"
[dirichlet]
x0 = { T = "T_wall + y" }
[functionals]
mean = { average = "T" }
out = { integral = "h*T", facets = "x1" }
[solver]
tolerance = 1e-13
)toml";

struct Setting {
  std::string name;
  std::vector<double> values;
  std::string text;
};

const std::vector<Setting> heat_settings = {
    {"k", {3.5}, "3.5"},      {"h", {0}, "0.0"},
    {"T_wall", {-4}, "-4.0"}, {"strength", {-2.25}, "-2.25"},
    {"c", {0.1}, "0.1"},      {"direction", {-0.2, 0.7}, "[-0.2, 0.7]"},
    {"q.x1", {4}, "4.0"},
};

std::vector<double> functionals_of(Problem &problem) {
  std::vector<double> values;
  for (const FunctionalResult &result : problem.functionals())
    values.insert(values.end(), result.values.begin(), result.values.end());
  return values;
}

void expect_near(const std::vector<double> &found, const std::vector<double> &expected,
                 double tolerance, const std::string &what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << what << ' ' << i;
}

// One after the other in one problem, beside new problems that begin with all values so far.
TEST(SetParameters, GiveWhatANewProblemGives) {
  for (const char *op : {"matrix_free", "assembled"}) {
    const std::string operator_ = std::string("solver.operator=\"") + op + "\"";
    Problem changed(CaseText{.text = heat}, test::one_thread({operator_}));
    changed.solve();
    std::vector<std::string> overrides = {operator_};
    for (const Setting &setting : heat_settings) {
      changed.set_parameters({{setting.name, setting.values}});
      EXPECT_EQ(changed.parameter(setting.name), setting.values);
      overrides.push_back("parameters." + setting.name + "=" + setting.text);
      Problem fresh(CaseText{.text = heat}, test::one_thread(overrides));
      std::vector<double> u(changed.num_dofs()), found(u.size()), expected(u.size());
      for (std::size_t i = 0; i < u.size(); ++i)
        u[i] = std::sin(double(i));
      changed.residual(u, found);
      fresh.residual(u, expected);
      expect_near(found, expected, 1e-12, setting.name + " residual, " + op);
      changed.solve();
      fresh.solve();
      expect_near(functionals_of(changed), functionals_of(fresh), 1e-10, setting.name);
    }
  }
}

TEST(SetParameters, MakeKernelsOnceMoreAndNeverAgain) {
  Problem problem(CaseText{.text = heat}, test::one_thread());
  problem.solve();
  problem.set_parameter("k", 3);
  problem.solve();
  const int made = num_compilations();
  for (const double k : {1.0, 0.0625, 7.5}) {
    problem.set_parameter("k", k);
    problem.solve();
  }
  EXPECT_EQ(num_compilations(), made);
}

TEST(SetParameters, AreArgumentsFromTheStartWhereTheyAreNamed) {
  ProblemOptions options = test::one_thread();
  options.settable = {"k", "h", "q.x1"};
  Problem problem(CaseText{.text = heat}, options);
  problem.solve();
  const int made = num_compilations();
  problem.set_parameters({{"k", {2.5}}, {"h", {1.25}}, {"q.x1", {0.5}}});
  problem.solve();
  EXPECT_EQ(num_compilations(), made);
  Problem fresh(CaseText{.text = heat},
                test::one_thread({"parameters.k=2.5", "parameters.h=1.25", "parameters.q.x1=0.5"}));
  fresh.solve();
  expect_near(functionals_of(problem), functionals_of(fresh), 1e-10, "named at the start");
}

// A value that depended on place becomes one that does not.
TEST(SetParameters, TakeThePlaceOfExpressions) {
  const std::string text =
      std::string(heat).replace(std::string(heat).find("k = 2.0"), 7, "k = \"2 + x*y\"");
  Problem problem(CaseText{.text = text}, test::one_thread());
  EXPECT_THROW(problem.parameter("k"), Error);
  problem.solve();
  problem.set_parameter("k", 3.5);
  problem.solve();
  Problem fresh(CaseText{.text = heat}, test::one_thread({"parameters.k=3.5"}));
  fresh.solve();
  expect_near(functionals_of(problem), functionals_of(fresh), 1e-10, "of an expression");
}

// The state stays, so that the next solve begins there.
TEST(SetParameters, KeepTheState) {
  Problem problem(CaseText{.text = heat}, test::one_thread());
  problem.solve();
  const std::vector<double> before(problem.state().begin(), problem.state().end());
  const double *const place = problem.state().data();
  problem.set_parameter("k", 2.001);
  EXPECT_EQ(std::vector(problem.state().begin(), problem.state().end()), before);
  problem.solve();
  EXPECT_NE(std::vector(problem.state().begin(), problem.state().end()), before);
  EXPECT_EQ(problem.state().data(), place);
  // The whole way is a thousand times as long.
  problem.reset();
  EXPECT_EQ(problem.state()[problem.num_dofs() - 1], 0.0);
}

TEST(SetParameters, RefuseWhatMakesNoSense) {
  Problem problem(CaseText{.text = heat}, test::one_thread());
  problem.solve();
  const std::vector<double> solved = functionals_of(problem);
  EXPECT_NE(
      test::error_text([&] { problem.set_parameter("kk", 1); }, ErrorKind::input).find("T_wall"),
      std::string::npos);
  EXPECT_NE(test::error_text([&] { problem.set_parameter("q", 1); }, ErrorKind::input).find("q.x1"),
            std::string::npos);
  EXPECT_NE(test::error_text([&] { problem.set_parameter("k", NAN); }, ErrorKind::input)
                .find("not finite"),
            std::string::npos);
  EXPECT_NE(test::error_text(
                [&] {
                  problem.set_parameters({{"direction", {1}}});
                },
                ErrorKind::input)
                .find("2"),
            std::string::npos);
  // The second is wrong, and the first is not taken either.
  test::error_text([&] { problem.set_parameters({{"h", {7}}, {"nu", {1}}}); }, ErrorKind::input);
  EXPECT_EQ(problem.parameter("h"), std::vector{3.0});
  problem.solve();
  expect_near(functionals_of(problem), solved, 1e-10, "after errors");
}

// Found before anything is solved, and all is as it was then.
TEST(SetParameters, RefuseDiffusionThatRunsBackwards) {
  for (const char *settable : {"", "k"}) {
    ProblemOptions options = test::one_thread();
    if (*settable)
      options.settable = {settable};
    Problem problem(CaseText{.text = R"toml(
[mesh]
box = { size = [1, 1], cells = [6, 5], cell = "triangle" }
[parameters]
k = 2.0
[fields]
T = { element = "P1" }
[weak_form]
cells.all = "dt(T)*test(T) + k*inner(grad(T), grad(test(T)))"
[dirichlet]
x0 = { T = 1 }
[time]
end = 0.1
step = 0.05
[functionals]
mean = { average = "T" }
)toml"},
                    options);
    problem.solve();
    const std::vector<double> solved = functionals_of(problem);
    EXPECT_NE(test::error_text([&] { problem.set_parameter("k", -1); }, ErrorKind::input)
                  .find("backwards"),
              std::string::npos);
    EXPECT_EQ(problem.parameter("k"), std::vector{2.0});
    problem.solve();
    expect_near(functionals_of(problem), solved, 1e-10, "after an error");
  }
}

// Conservation laws: in fluxes, sources, conditions and initial values; of discontinuous Galerkin
// and of finite volumes.
const char *const advection = R"toml(
[mesh]
box = { size = [1, 1], cells = [6, 6], cell = "triangle" }
[parameters]
speed = 1.0
decay = 0.5
inflow = 2.0
first = 1.0
[fields]
u = { element = "DG2" }
[conservation_law]
flux.u = "[speed*u, 0.5*speed*u]"
source.u = "-decay*u"
wave_speed = "abs(speed)*1.2"
[boundary.all]
outer.u = "inflow"
[initial]
u = "first*(1 + x)"
[time]
end = 0.05
[functionals]
mass = { integral = "u" }
)toml";

const char *const diffusion = R"toml(
[mesh]
box = { size = [1, 1], cells = [6, 6], cell = "triangle" }
[parameters]
K = 1.0
wall = 1.0
[fields]
u = { element = "FV" }
[conservation_law]
flux.u = "-K*grad(u)"
[boundary.x0]
outer.u = "wall"
[boundary.all]
flux.u = "0"
[initial]
u = "0"
[time]
scheme = "theta"
theta = 1
end = 0.1
step = 0.02
[functionals]
mass = { integral = "u" }
)toml";

TEST(SetParameters, OfConservationLaws) {
  const auto compare = [](const char *text, const std::vector<Setting> &settings) {
    Problem changed(CaseText{.text = text}, test::one_thread());
    changed.solve();
    std::vector<std::string> overrides;
    for (const Setting &setting : settings) {
      changed.set_parameters({{setting.name, setting.values}});
      overrides.push_back("parameters." + setting.name + "=" + setting.text);
      Problem fresh(CaseText{.text = text}, test::one_thread(overrides));
      changed.solve(); // from the initial values again
      fresh.solve();
      expect_near(functionals_of(changed), functionals_of(fresh), 1e-11, setting.name);
    }
  };
  compare(advection, {{"speed", {1.5}, "1.5"},
                      {"decay", {2}, "2.0"},
                      {"inflow", {-1}, "-1.0"},
                      {"first", {3}, "3.0"}});
  compare(diffusion, {{"K", {2.5}, "2.5"}, {"wall", {-3}, "-3.0"}});
}

// A constant that was open before and is not after.
TEST(SetParameters, FindAnewWhatIsOpen) {
  const char *const text = R"toml(
[mesh]
box = { size = [1, 1], cells = [4, 4], cell = "quadrilateral" }
[parameters]
h = 0.0
[fields]
T = { element = "P1" }
[weak_form]
cells.all = "inner(grad(T), grad(test(T))) - (x - 0.5)*test(T)"
facets.x1 = "h*(T - 3)*test(T)"
[functionals]
mean = { average = "T" }
out = { integral = "h*(T - 3)", facets = "x1" }
)toml";
  Problem problem(CaseText{.text = text}, test::one_thread());
  problem.solve();
  EXPECT_NEAR(problem.functional("mean"), 0, 1e-12);
  problem.set_parameter("h", 2);
  problem.solve();
  // What comes in, nothing in all, goes out through x1, so that T is 3 there on average.
  EXPECT_NEAR(problem.functional("out"), 0, 1e-8);
  EXPECT_GT(std::abs(problem.functional("mean")), 2);
  problem.set_parameter("h", 0);
  problem.solve();
  EXPECT_NEAR(problem.functional("mean"), 0, 1e-12);
}

} // namespace
} // namespace weft
