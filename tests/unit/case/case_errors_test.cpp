#include "support/case_text.h"

namespace weft {
namespace {

TEST(CaseErrors, UnknownKeyNamesPlaceAndNearest) {
  const Error e = error_of(small_case + "[solver]\ntolerence = 1e-8\n");
  EXPECT_EQ(e.kind(), ErrorKind::input);
  EXPECT_TRUE(contains(e.diagnostic().where, "case.toml:9: [solver] tolerence")) << e.what();
  EXPECT_TRUE(contains(e.diagnostic().remedy, "\"tolerance\"")) << e.what();
  EXPECT_TRUE(contains(e.diagnostic().allowed, "method, preconditioner, inner, tolerance"))
      << e.what();
}

TEST(CaseErrors, UnknownTable) {
  const Error e = error_of(small_case + "[boundry.wall]\nT = 1\n");
  EXPECT_TRUE(contains(e.what(), "unknown table \"boundry\"")) << e.what();
  EXPECT_TRUE(contains(e.what(), "case.toml:8")) << e.what();
  EXPECT_TRUE(contains(e.what(), "did you mean \"boundary\"")) << e.what();
}

TEST(CaseErrors, NestedUnknownKey) {
  const Error e = error_of("[mesh]\nbox = { cels = [1, 1] }\n");
  EXPECT_TRUE(contains(e.what(), "case.toml:2: [mesh] box.cels")) << e.what();
  EXPECT_TRUE(contains(e.diagnostic().remedy, "\"cells\"")) << e.what();
}

TEST(CaseErrors, Syntax) {
  const Error e = error_of("title = \"a\"\n[mesh\nbox = 1\n");
  EXPECT_EQ(e.kind(), ErrorKind::input);
  EXPECT_TRUE(contains(e.diagnostic().where, "case.toml:2:6")) << e.what();
}

struct WrongValue {
  const char *lines;
  const char *part; // of the message
};

class CaseWrongValue : public testing::TestWithParam<WrongValue> {};

TEST_P(CaseWrongValue, IsAnInputErrorThatSaysWhatIsAllowed) {
  const Error e = error_of(small_case + GetParam().lines);
  EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
  EXPECT_TRUE(contains(e.what(), GetParam().part)) << e.what();
  EXPECT_TRUE(contains(e.what(), "case.toml:")) << e.what();
}

INSTANTIATE_TEST_SUITE_P(
    All, CaseWrongValue,
    testing::Values(
        WrongValue{"quadrature = 99", ">= 0, <= 50"},
        WrongValue{"quadrature = \"lobatto\"", "gauss_lobatto"},
        WrongValue{"[solver]\ntolerance = \"small\"", "allowed: number"},
        WrongValue{"[solver]\ntolerance = 0", "> 0, <= 1"},
        WrongValue{"[solver]\ntolerance = nan", "the number nan"},
        WrongValue{"[solver]\nmethod = \"cgg\"", "did you mean \"cg\"?"},
        WrongValue{"[solver]\nmethod = \"LU\"", "write method = \"direct\""},
        WrongValue{"[solver]\npreconditioner = \"amg\"", "write preconditioner = \"multigrid\""},
        WrongValue{"[time]\nend = 1\nscheme = \"Crank-Nicolson\"", "default theta = 0.5"},
        WrongValue{"[time]\nend = 1\nscheme = \"implicit_euler\"", "and theta = 1"},
        WrongValue{"[solver]\nmax_iterations = 99999999999", "out of range"},
        WrongValue{"[solver]\npreconditioner = \"multigird\"", "did you mean \"multigrid\"?"},
        WrongValue{"[solver]\npreconditioner = { kind = \"multigrid\", precision = \"f8\" }",
                   "f64, f32, f16, bf16"},
        WrongValue{
            "[solver]\npreconditioner = { kind = \"multigrid\", precision = [\"f32\", \"h\"] }",
            "f64, f32, f16, bf16"},
        WrongValue{"[solver]\npreconditioner = { kind = \"multigrid\", cycle = \"F\" }", "V, W, K"},
        WrongValue{"[solver]\ninner = { damping = 0 }", "> 0, <= 2"},
        WrongValue{"[solver]\nmax_iterations = 1.5", "whole number"},
        WrongValue{"[device]\nprecision = \"f46\"", "f64, f32"},
        WrongValue{"[device]\ndeterministic = 1", "true or false"},
        WrongValue{"[output]\nprobes = [1, 2]", "array of points"},
        WrongValue{"[output]\nfields = \"T\"", "array of expressions"},
        WrongValue{"[parameters]\nk = true", "expression (number, text or array) or table"},
        WrongValue{"[parameters]\nk = \" \"", "an empty expression"},
        WrongValue{"[parameters]\nk = [1, inf]", "[parameters] k[1]"},
        WrongValue{"[parameters]\nk = 2020-01-01", "a date or time"},
        WrongValue{"[dirichlet]\nx0 = { S = 1 }", "there is no field \"S\""},
        WrongValue{"[dirichlet]\nx0 = { \"T[x]\" = 1 }", "neither a field nor a component"},
        WrongValue{"[exact]\nt = 1", "did you mean \"T\"?"},
        WrongValue{"[verify]\nexpect = { t = 2 }", "there is no field \"t\""},
        WrongValue{"[functionals]\nQ = { facets = \"x0\" }", "one of integral, average"},
        WrongValue{"[functionals]\nQ = { integral = 1, maximum = 2 }", "one of integral, average"},
        WrongValue{"[functionals]\nQ = { value = \"T\" }", "value with point"},
        WrongValue{"[auxiliary]\na = { element = \"P1\" }", "without a value"},
        WrongValue{"[pointwise]\nT = { f0 = 1 }", "both weak_form.cells and [pointwise]"}));

TEST(CaseErrors, WrongBoxes) {
  const auto box_error = [](const std::string &box) {
    return std::string(error_of("[mesh]\nbox = { " + box + " }\n").what());
  };
  EXPECT_TRUE(contains(box_error("size = [1, 1]"), "needs the number of its cells"));
  EXPECT_TRUE(contains(box_error("cells = [1, 1, 1]"), "2 numbers, one a direction"));
  EXPECT_TRUE(contains(box_error("cells = [1, 0]"), "[mesh] box.cells[1]"));
  EXPECT_TRUE(contains(box_error("cells = [1, 1], size = [0.0, 1]"), "> 0"));
  EXPECT_TRUE(contains(box_error("cells = [1, 1], cell = \"wedge\""), "prism"));
  EXPECT_TRUE(contains(box_error("cells = [1, 1], periodic = [\"z\"]"), "no direction z"));
}

TEST(CaseErrors, WhatACaseNeeds) {
  EXPECT_TRUE(contains(error_of("").what(), "no mesh"));
  EXPECT_TRUE(contains(error_of("[mesh]\nscale = 2.0\n").what(), "comes from a file or is a box"));
  EXPECT_TRUE(contains(error_of("[mesh]\nfile = \"a.msh\"\n").what(), "no fields"));
  EXPECT_TRUE(
      contains(error_of("[mesh]\nfile = \"a.msh\"\n[fields]\nT = {}\n").what(), "no equation"));
}

TEST(CaseErrors, MissingFileAndFolder) {
  const CaseFolder folder;
  EXPECT_THROW(read_case(folder.path("none.toml")), Error);
  EXPECT_THROW(read_case(folder.path("")), Error);
}

TEST(CaseErrors, Physics) {
  const Error unknown = error_of("physics = [\"het\"]\n" + small_case);
  EXPECT_TRUE(contains(unknown.what(), "unknown physics")) << unknown.what();
  EXPECT_TRUE(contains(unknown.what(), "case.toml:1: physics")) << unknown.what();
  const Error missing = error_of("physics = [\"a/b.toml\"]\n" + small_case);
  EXPECT_TRUE(contains(missing.what(), "a/b.toml")) << missing.what();
  EXPECT_TRUE(contains(missing.what(), "case.toml:1: physics")) << missing.what();

  const CaseFolder folder;
  folder.write("law.toml", "[parameters]\nk = 1\n[mesh]\norder = 1\n");
  try {
    read_case(folder.write("case.toml", "physics = [\"law.toml\"]\n" + small_case));
    FAIL() << "a physics file with a mesh was taken";
  } catch (const Error &e) {
    EXPECT_TRUE(contains(e.what(), "law.toml:3: [mesh]: unknown table \"mesh\"")) << e.what();
  }
}

class CaseNotYet : public testing::TestWithParam<const char *> {};

TEST_P(CaseNotYet, IsRefusedAsUnsupported) {
  const Error e = error_of(small_case + GetParam());
  EXPECT_EQ(e.kind(), ErrorKind::unsupported) << e.what();
  EXPECT_TRUE(contains(e.what(), "not supported: ")) << e.what();
  EXPECT_TRUE(contains(e.what(), " yet")) << e.what();
  EXPECT_TRUE(contains(e.diagnostic().where, "case.toml:")) << e.what();
}

INSTANTIATE_TEST_SUITE_P(All, CaseNotYet,
                         testing::Values("[auxiliary]\na = { element = \"DG1\", value = 1 }"));

TEST(CaseErrors, OfTime) {
  const auto says = [](const std::string &text, const std::string &what) {
    const Error e = error_of(small_case + text);
    EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
    EXPECT_TRUE(contains(e.what(), what)) << e.what();
  };
  says("[time]\nend = 1.0", "without `step`");
  says("[time]\nstep = 1.0", "without `end`");
  says("[time]\nend = 1.0\nstep = 0", "> 0");
  says("[time]\nend = 1.0\nstep = 1\nsubsteps = 0", ">= 1");
  for (const char *key : {"reactions = \"rush_larsen\"", "substeps = 2"})
    says(std::string("[time]\nend = 1.0\nstep = 1\n") + key, "belong to the sources");
  says("[first_times]\na = \"u\"", "[first_times] belongs to a conservation law");
  says("[time]\nend = 1.0\ncfl = 0.5", "a CFL number belongs to the explicit schemes");
  says("[time]\nend = 1.0\nstep = 0.1\ncfl = 0.5", "keep one of them");
  says("[time]\nend = 1.0\nstep = 0.1\nscheme = \"rk4\"", "an explicit scheme for a weak form");
  says("[time]\nend = 1.0\nstep = 0.1\nstart = 2", "not after its start");
  says("[time]\nend = 1.0\nstep = 0.1\nscheme = \"bdf3\"", "bdf2");
  says("[time]\nend = 1.0\nstep = 0.1\ntheta = 0.5", "belongs to the scheme");
  says("[time]\nend = 1.0\nstep = 0.1\nscheme = \"theta\"\ntheta = 0.4", ">= 0.5");
  says("[time]\nend = 1.0\nstep = 0.1\nadaptive = { max_step = 1 }", "without a tolerance");
  for (const char *key :
       {"every = 1.0", "times = [1.0]", "rows_every = 1.0", "checkpoint_every = 1.0"})
    says(std::string("[output]\n") + key, "stationary case");
  says("[verify]\nexpect_time = { w = 2 }", "no field \"w\"");
}

TEST(CaseErrors, OverridesNameTheArgument) {
  for (const char *argument : {"solver.tolerance", "=3", "a b=3", "solver..x=1", "x\ny=1"}) {
    const Error e = error_of(small_case, {argument});
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_EQ(e.diagnostic().where, std::string("--set ") + argument) << e.what();
  }
  EXPECT_EQ(error_of(small_case, {"solver.tol=1"}).diagnostic().where,
            "--set solver.tol=1: [solver] tol");
  EXPECT_EQ(error_of(small_case, {"solver.tolerance=abc"}).diagnostic().where,
            "--set solver.tolerance=abc: [solver] tolerance");
  EXPECT_EQ(error_of(small_case, {"solver=5"}).diagnostic().where, "--set solver=5: solver");
}

TEST(CaseErrors, OverridesWithoutAKey) {
  for (const char *argument : {"#=1", " #a=1", "# x\ny=1", "a #=1", "=", ".=1", "a.=1", ".a=1",
                               "[a]=1", "[a]b=1", "\"a\\\"=1", "a\r=1"}) {
    const Error e = error_of(small_case, {argument});
    EXPECT_EQ(e.kind(), ErrorKind::input) << argument;
    EXPECT_TRUE(contains(e.diagnostic().where, "--set ")) << e.what();
    EXPECT_TRUE(contains(e.diagnostic().allowed, "table.key=value")) << e.what();
  }
  const std::string deep = std::string(1000, '.').replace(0, 1, "a") + "=1";
  EXPECT_TRUE(contains(error_of(small_case, {deep}).diagnostic().where, " ...")) << deep;
}

// What goes on after a value is part of it, never a key of its own.
TEST(CaseErrors, OverridesBringNoFurtherKeys) {
  for (const char *argument :
       {"solver.tolerance=1e-3\nsolver.max_iterations=7", "solver.tolerance=1e-3\r\ntitle=\"b\"",
        "solver.tolerance=1e-3\n[solver.newton]\nmax_iterations=7",
        "solver.newton.tolerance=1e-3\nsolver.newton.max_iterations=7"}) {
    const Error e = error_of(small_case, {argument});
    EXPECT_TRUE(contains(e.diagnostic().what, "wrong type")) << e.what();
    EXPECT_TRUE(contains(e.diagnostic().found, "the text \"1e-3")) << e.what();
  }
}

TEST(CaseErrors, ControlCharactersAreRefusedAndShown) {
  const auto says = [](const std::string &lines, const char *place, const char *shown) {
    const Error e = error_of(small_case + lines);
    EXPECT_EQ(e.kind(), ErrorKind::input);
    const std::string message = e.what();
    EXPECT_TRUE(contains(message, "control character")) << message;
    EXPECT_TRUE(contains(message, place)) << message;
    EXPECT_TRUE(contains(message, shown)) << message;
    EXPECT_EQ(message.find('\0'), std::string::npos);
  };
  says("[parameters]\n\"a\\u0000b\" = 1", "case.toml:9: [parameters] a", "found:   a\\x00b");
  says("[output]\ndirectory = \"a\\u0000b\"", "case.toml:9: [output] directory", "a\\x00b");
  says("[dirichlet]\n\"x\\n0\" = { T = 1 }", "case.toml:9: [dirichlet] x\\n0", "x\\n0");
  says("[output]\nfields = [\"T\", \"\\u001b[31mT\"]", "[output] fields[1]", "\\x1b[31mT");
  EXPECT_NO_THROW(read_text(small_case + "[parameters]\nk = \"\"\"\n1\t+\n2\"\"\""));
}

TEST(CaseErrors, AFolderWithoutAName) {
  const Error e = error_of(small_case + "[output]\ndirectory = \"\"");
  EXPECT_EQ(e.kind(), ErrorKind::input);
  EXPECT_TRUE(contains(e.diagnostic().where, "case.toml:9: [output] directory")) << e.what();
}

TEST(CaseErrors, PlacesOfKeysAndOfThoseThatAreNotThere) {
  const CaseFolder folder;
  const std::string file =
      folder.write("case.toml", small_case + "[solver]\nnewton = { tolerance = 1e-3 }\n");
  const Case c = read_case(file, {"solver.restart=9"});
  EXPECT_EQ(place_in(c, "[solver] newton.tolerance"), file + ":9: [solver] newton.tolerance");
  EXPECT_EQ(place_in(c, "[solver] newton.max_iterations"),
            file + ":9: [solver] newton.max_iterations");
  EXPECT_EQ(place_in(c, "[solver] method"), file + ":8: [solver] method");
  EXPECT_EQ(place_in(c, "[solver] restart"), "--set solver.restart=9: [solver] restart");
  EXPECT_EQ(place_in(c, "[device] threads"), file + ": [device] threads");
}

} // namespace
} // namespace weft
