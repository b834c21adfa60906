// Conservation laws in case files, and what is wrong with some.
#include "support/case_text.h"

namespace weft {
namespace {

TEST(ReadLaw, AllOfIt) {
  const Case c = read_text(R"toml([mesh]
box = { cells = [2, 2] }
[fields]
q = { element = "DG9" }
w = { element = "DG9", shape = "vector" }
[conservation_law]
flux.q = ["q", 0]
capacity.q = 2
source = { w = "-w" }
numerical_flux = "mine"
wave_speed = 1
positive = ["q", "1 + q"]
limiter = "positivity"
[numerical_fluxes.mine]
every = "dot(avg(flux), n)"
[boundary.left]
outer = { q = 1 }
outer_gradient.q = [0, 0]
[boundary.boundary]
flux.q = 0
[time]
end = 2
cfl = 0.5
)toml");
  ASSERT_TRUE(c.form.law);
  const ConservationLawSpec &law = *c.form.law;
  EXPECT_EQ(law.flux.at("q").text, "[q, 0]");
  EXPECT_EQ(law.capacity.at("q").text, "2");
  EXPECT_EQ(law.source.at("w").text, "-w");
  EXPECT_EQ(law.numerical_flux->text, "mine");
  EXPECT_EQ(law.fluxes.at("mine").at("every").line, 15);
  EXPECT_EQ(law.wave_speed->text, "1");
  ASSERT_EQ(law.positive.size(), 2u);
  EXPECT_EQ(law.positive[1].text, "1 + q");
  EXPECT_EQ(law.limiter, "positivity");
  EXPECT_TRUE(contains(law.place, "case.toml:6: [conservation_law]")) << law.place;
  ASSERT_EQ(c.form.boundaries.size(), 2u);
  EXPECT_EQ(c.form.boundaries[0].group, "left");
  EXPECT_EQ(c.form.boundaries[0].outer.at("q").text, "1");
  EXPECT_EQ(c.form.boundaries[0].outer_gradient.at("q").text, "[0, 0]");
  EXPECT_EQ(c.form.boundaries[1].group, "all");
  EXPECT_EQ(c.form.boundaries[1].flux.at("q").text, "0");
  EXPECT_TRUE(c.form.fields[1].discontinuous);
  EXPECT_EQ(c.form.fields[1].order, 9);
  EXPECT_EQ(c.time->scheme, "lsrk4");
  EXPECT_DOUBLE_EQ(c.time->cfl, 0.5);
  EXPECT_DOUBLE_EQ(c.time->step, 0);
}

TEST(ReadLaw, SchemesOfTheEquations) {
  EXPECT_EQ(read_text(small_case + "[time]\nend = 1\nstep = 0.1").time->scheme, "");
  for (const char *scheme : {"lsrk4", "rk4", "ssprk3", "euler"})
    EXPECT_EQ(read_text(small_law + "scheme = \"" + std::string(scheme) + "\"").time->scheme,
              scheme);
  EXPECT_NO_THROW(read_text(small_law + "scheme = \"ssprk3\"\nadaptive = { tolerance = 1e-4 }"));
  const std::string fixed_steps = small_law.substr(0, small_law.find("cfl")) + "step = 0.1\n";
  for (const char *scheme : {"theta", "bdf2"})
    EXPECT_EQ(
        read_text(fixed_steps + "scheme = \"" + scheme + "\"\nadaptive = { tolerance = 1e-4 }")
            .time->scheme,
        scheme);
}

// A case overrides what physics files say field by field, and physics files name others.
TEST(ReadLaw, PhysicsFilesAreMerged) {
  const CaseFolder folder;
  folder.write("base.toml", R"toml([parameters]
k = 1
[fields]
p = { element = "DG3" }
v = { element = "DG3", shape = "vector" }
[conservation_law]
flux.p = "v"
flux.v = "p*identity"
numerical_flux = { p = "0", v = "0" }
[boundary.all]
outer = { p = 0, v = 0 }
)toml");
  folder.write("more.toml", "physics = [\"base.toml\"]\n[parameters]\nk = 2\n"
                            "[conservation_law]\nflux.p = \"2*v\"\n");
  const Case c = read_case(folder.write("case.toml", R"toml(physics = ["more.toml"]
[mesh]
box = { cells = [2, 2] }
[fields]
p = { element = "DG5" }
v = { element = "DG5" }
[conservation_law]
flux.v = "3*p*identity"
numerical_flux.v = "p*n"
[boundary.all]
outer.p = 1
[time]
end = 1
step = 0.1
)toml"));
  const ConservationLawSpec &law = *c.form.law;
  EXPECT_EQ(law.flux.at("p").text, "2*v");
  EXPECT_EQ(law.flux.at("v").text, "3*p*identity");
  EXPECT_EQ(law.numerical_flux_of.at("p").text, "0");
  EXPECT_EQ(law.numerical_flux_of.at("v").text, "p*n");
  EXPECT_EQ(c.form.boundaries[0].outer.at("p").text, "1");
  EXPECT_EQ(c.form.boundaries[0].outer.at("v").text, "0");
  EXPECT_EQ(c.form.fields[1].order, 5);
  EXPECT_EQ(c.form.fields[1].shape, Shape{0});
  EXPECT_EQ(c.form.parameters[0].value->text, "2");
  EXPECT_EQ(read_case(folder.path("case.toml"), {"conservation_law.numerical_flux=central"})
                .form.law->numerical_flux->text,
            "central");
}

TEST(ReadLaw, PhysicsFilesInACircle) {
  const CaseFolder folder;
  folder.write("a.toml", "physics = [\"b.toml\"]\n");
  folder.write("b.toml", "physics = [\"a.toml\"]\n");
  try {
    read_case(folder.write("case.toml", "physics = [\"a.toml\"]\n" + small_case));
    FAIL() << "a circle was read";
  } catch (const Error &e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_TRUE(contains(e.what(), "in a circle")) << e.what();
  }
}

void expect_error(const std::string &text, const std::string &what, const std::string &where) {
  const Error e = error_of(text);
  EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
  EXPECT_TRUE(contains(e.what(), what)) << e.what();
  EXPECT_TRUE(contains(e.diagnostic().where, "case.toml:" + where)) << e.what();
}

TEST(LawErrors, OfFields) {
  const auto law = [](const std::string &fields, const std::string &equations) {
    return "[mesh]\nbox = { cells = [2, 2] }\n[time]\nend = 1\nstep = 0.1\n[fields]\n" + fields +
           "[conservation_law]\n" + equations;
  };
  expect_error(law("q = { element = \"P2\" }\n", "source.q = 1\n"), "is continuous",
               "7: [fields] q");
  expect_error(law("q = {}\n", "source.q = 1\n"), "write element = \"DG1\"", "7: [fields] q");
  expect_error(
      law("q = { element = \"DG2\" }\nr = { element = \"DG3\" }\n", "source = { q = 1, r = 1 }\n"),
      "q of DG2, r of DG3", "8: [fields] r");
  expect_error(law("q = { element = \"DG2\" }\n", "wave_speed = 1\n"),
               "\"q\" has no equation: neither a flux nor a source", "8: [conservation_law]");
  expect_error(small_case + "[fields.w]\nelement = \"FV\"\n",
               "finite volumes without a conservation law", "8: [fields] w");
}

// A law of two fields: `element` of each, lines of [conservation_law].
std::string law_of_two(const std::string &p, const std::string &w, const std::string &lines = "") {
  return "[mesh]\nbox = { cells = [2, 2] }\n[time]\nend = 1\nstep = 0.1\n[fields]\np = { element = "
         "\"" +
         p + "\" }\nw = { element = \"" + w +
         "\" }\n[conservation_law]\nflux.p = \"[p, 0]\"\nsource.w = \"p\"\n" + lines;
}

TEST(ReadLaw, OfFiniteVolumes) {
  const Case c =
      read_text(law_of_two("FV", "FV") + "[auxiliary]\na = { element = \"FV\", value = \"x\" }\n");
  for (const FieldSpec &field : c.form.fields) {
    EXPECT_TRUE(field.finite_volume && field.discontinuous) << field.name;
    EXPECT_EQ(field.order, 0);
    EXPECT_EQ(field.element(), "FV");
  }
  EXPECT_EQ(c.form.law->reconstruction, "linear");
  EXPECT_EQ(c.form.law->diffusion, "auto");
  EXPECT_EQ(c.form.law->limiter, ""); // for the flux to decide
  EXPECT_EQ(c.form.auxiliary.at(0).order, 0);
  EXPECT_FALSE(c.form.auxiliary.at(0).discontinuous); // as DG0

  const Case set = read_text(law_of_two("FV", "FV",
                                        "reconstruction = \"constant\"\nlimiter = \"none\"\n"
                                        "diffusion = \"corrected\"\n"));
  EXPECT_EQ(set.form.law->reconstruction, "constant");
  EXPECT_EQ(set.form.law->diffusion, "corrected");
  EXPECT_EQ(set.form.law->limiter, "none");

  const Case galerkin = read_text(law_of_two("DG0", "DG0"));
  EXPECT_FALSE(galerkin.form.fields[0].finite_volume);
  EXPECT_EQ(galerkin.form.law->limiter, "none");
  EXPECT_EQ(galerkin.form.law->reconstruction, "");
  EXPECT_EQ(galerkin.form.law->diffusion, "");
}

TEST(LawErrors, OfFiniteVolumes) {
  for (const auto &[p, w] : {std::pair("FV", "DG0"), std::pair("DG0", "FV")})
    expect_error(law_of_two(p, w), "write element = \"FV\" for all of them", "8: [fields] w");
  expect_error(law_of_two("FV", "P1"), "allowed: DG0 to DG9, FV", "8: [fields] w");
  const std::string law = "9: [conservation_law]";
  expect_error(law_of_two("FV", "FV", "limiter = \"shock\""),
               "allowed: none, venkatakrishnan, barth_jespersen", law);
  expect_error(law_of_two("DG2", "DG2", "limiter = \"venkatakrishnan\""),
               "allowed: none, positivity, shock", law);
  expect_error(law_of_two("DG0", "DG0", "reconstruction = \"linear\""),
               "`reconstruction` belongs to finite volumes", law);
  expect_error(law_of_two("DG1", "DG1", "diffusion = \"auto\""),
               "leave `diffusion` out, or write element = \"FV\"", law);
  expect_error(
      law_of_two("FV", "FV", "reconstruction = \"constant\"\nlimiter = \"barth_jespersen\""),
      "a limiter of gradients without a reconstruction", law);
  expect_error(law_of_two("FV", "FV", "diffusion = \"corected\""), "did you mean \"corrected\"?",
               "12: [conservation_law] diffusion");
  expect_error(small_case + "[fields.w]\nelement = \"FV\"\n", "found:   FV", "8: [fields] w");
}

TEST(LawErrors, OfNames) {
  for (const char *lines :
       {"[conservation_law]\nflux.r = 0", "[conservation_law]\ncapacity.r = 0",
        "[conservation_law]\nsource.r = 0", "[conservation_law]\nnumerical_flux = { r = 0 }",
        "[numerical_fluxes.mine]\nr = 0", "[boundary.x0]\nouter.r = 0",
        "[boundary.x0]\nouter = { p = 0 }\nouter_gradient.r = 0", "[boundary.x0]\nflux.r = 0"}) {
    std::string text = small_law;
    if (std::string(lines).starts_with("[conservation_law]")) // tables are opened once
      text.insert(text.find("wave_speed"), std::string(lines).substr(19) + "\n");
    else
      text += lines;
    const Error e = error_of(text);
    EXPECT_TRUE(contains(e.what(), "there is no field \"r\"")) << e.what();
    EXPECT_TRUE(contains(e.what(), "allowed: p, v")) << e.what();
    EXPECT_TRUE(contains(e.diagnostic().where, "case.toml:")) << e.what();
  }
}

TEST(LawErrors, OfOtherTables) {
  expect_error(small_law + "[weak_form]\ncells.all = \"p*test(p)\"",
               "a conservation law beside a weak form", "6: [conservation_law]");
  expect_error(small_law + "[weak_form]\nquadrature = 5", "laws choose theirs by the element",
               "14: [weak_form] quadrature");
  expect_error(small_law + "[pointwise]\np = { f0 = 0 }", "beside a weak form",
               "6: [conservation_law]");
  expect_error(small_law + "[dirichlet]\nx0 = { p = 1 }", "write [boundary.x0] with outer", "14: ");
  expect_error(small_law + "[boundary.x0]", "neither a state outside nor a flux", "13: ");
  expect_error(small_case + "[boundary.x0]\nouter = { T = 1 }",
               "[boundary] belongs to a conservation law", "8: ");
  std::string text = small_law;
  text.insert(text.find("wave_speed"), "limiter = \"positivity\"\n");
  expect_error(text, "without expressions to keep positive", "6: [conservation_law]");
  text.replace(text.find("positivity"), 10, "shock");
  expect_error(text, "`shock` without expressions to keep positive", "6: [conservation_law]");
  text.replace(text.find("shock"), 5, "positiv");
  expect_error(text, "did you mean \"positivity\"?", "9: [conservation_law] limiter");
}

TEST(LawErrors, OfTime) {
  expect_error(small_law.substr(0, small_law.find("[time]")), "a conservation law without [time]",
               "6: [conservation_law]");
  expect_error(small_law + "scheme = \"bdf2\"",
               "a CFL number belongs to the explicit schemes of conservation laws", "10: [time]");
  expect_error(small_law + "scheme = \"heun\"", "theta, bdf2, generalised_alpha, dirk2",
               "13: [time] scheme");
  const std::string fixed_steps = small_law.substr(0, small_law.find("cfl")) + "step = 0.1\n";
  std::string limited = fixed_steps + "scheme = \"theta\"";
  limited.insert(limited.find("wave_speed"), "limiter = \"shock\"\n");
  expect_error(limited, "a limiter of states with an implicit scheme", "6: [conservation_law]");
  expect_error(fixed_steps + "scheme = \"bdf2\"\nsubsteps = 2", "looks back on several steps",
               "10: [time]");
  expect_error(small_law + "step = 0.1", "a step and a CFL number", "12: [time] cfl");
  expect_error(small_law + "adaptive = { tolerance = 1e-3 }",
               "adaptive steps of a scheme that estimates no error", "10: [time]");
}

} // namespace
} // namespace weft
