#include "support/case_text.h"

namespace weft {
namespace {

const std::string whole_case = R"toml(title = "All of it"
[mesh]
file = "parts/part.geo"
order = 2
scale = 1e-3
size = 0.5
periodic = [["left", "right"]]
[parameters]
k = { fins = 205.0, base = "390 + x" }
v = [1, "2*x", 0.1]
q = "1e4*exp(-x)"
[fields]
u = { element = "P2", shape = "vector" }
p = { shape = 3 }
[auxiliary]
a = { value = "1 + x" }
b = { element = "P1", shape = "vector", value = ["x", 0] }
[definitions]
eps = "sym(grad(u))"
[weak_form]
cells.fins = "a*b"
cells.all = """
  k*inner(grad(u), grad(test(u)))"""
facets.boundary = "h*test(p)"
interior.all = 0
[dirichlet]
zeta = { u = [0, 0], "u[1]" = 2 }
alpha = { "p[2]" = "x" }
[initial]
p = [1, 2, 3]
[functionals]
Q = { integral = "q", facets = "fins" }
M = { average = "p[0]", cells = ["fins", "base"] }
X = { maximum = "p[0]", cells = "all" }
P = { point = [2.0, 0.0], value = "u" }
[exact]
p = "[x, y, 0]"
[verify]
refine = 4
expect = { p = 2 }
[solver]
method = "gmres"
preconditioner = { kind = "chebyshev", degree = 6 }
newton = { tolerance = 1e-9, max_iterations = 7, check_jacobian = true }
[device]
precision = "f32"
threads = 2
strategy = "block"
[output]
directory = "results"
fields = ["u", "p[0]"]
probes = [[0, 0], [0.5, 1]]
)toml";

TEST(ReadCase, MeshAndSettings) {
  const CaseFolder folder;
  const Case c = read_case(folder.write("case.toml", whole_case));
  EXPECT_EQ(c.title, "All of it");
  EXPECT_EQ(*c.mesh.file, folder.path("parts/part.geo"));
  EXPECT_EQ(c.mesh.order, 2);
  EXPECT_DOUBLE_EQ(c.mesh.scale, 1e-3);
  EXPECT_DOUBLE_EQ(*c.mesh.size, 0.5);
  ASSERT_EQ(c.mesh.periodic.size(), 1u);
  EXPECT_EQ(c.mesh.periodic[0].second, "right");
  EXPECT_EQ(c.solver.method, "gmres");
  EXPECT_EQ(c.solver.preconditioner, "chebyshev");
  EXPECT_EQ(c.solver.degree, 6);
  EXPECT_EQ(c.solver.newton.max_iterations, 7);
  EXPECT_TRUE(c.solver.newton.check_jacobian);
  EXPECT_EQ(c.device.precision, "f32");
  EXPECT_EQ(c.device.threads, 2);
  EXPECT_EQ(c.device.strategy, "block");
  EXPECT_EQ(c.output.directory, folder.path("results"));
  ASSERT_EQ(c.output.fields.size(), 2u);
  EXPECT_EQ(c.output.fields[1].text, "p[0]");
  EXPECT_EQ(c.output.probes[1], (std::vector<double>{0.5, 1}));
  EXPECT_EQ(c.verify.refine, 4);
  EXPECT_EQ(c.verify.expect[0], (std::pair<std::string, double>("p", 2)));
}

TEST(ReadCase, FieldsAndExpressions) {
  Case c = read_text(whole_case);
  ASSERT_EQ(c.form.fields.size(), 2u);
  EXPECT_EQ(c.form.fields[0].name, "u"); // the file's order, not the alphabet's
  EXPECT_EQ(c.form.fields[0].order, 2);
  EXPECT_EQ(c.form.fields[1].order, 1);
  EXPECT_EQ(c.form.fields[1].shape, Shape{3});
  EXPECT_EQ(c.form.auxiliary[0].order, 0);
  EXPECT_EQ(c.form.auxiliary[1].order, 1);
  EXPECT_EQ(c.auxiliary_values[1].value.text, "[x, 0]");
  EXPECT_EQ(c.form.fields[0].components(), 0);
  resolve_dimension(c, 3);
  EXPECT_EQ(c.form.dim, 3);
  EXPECT_EQ(c.form.fields[0].components(), 3);
  EXPECT_EQ(c.form.auxiliary[1].components(), 3);

  ASSERT_EQ(c.form.parameters.size(), 3u);
  EXPECT_FALSE(c.form.parameters[0].value);
  EXPECT_EQ(c.form.parameters[0].by_group.at("fins").text, "205");
  EXPECT_EQ(c.form.parameters[0].by_group.at("base").text, "390 + x");
  EXPECT_EQ(c.form.parameters[1].value->text, "[1, 2*x, 0.1]");
  EXPECT_EQ(c.form.parameters[2].value->line, 11);
  EXPECT_EQ(c.form.parameters[2].value->key, "[parameters] q");
}

TEST(ReadCase, BoundsOfFields) {
  const std::string mesh = "[mesh]\nbox = { cells = [2, 2] }\n[weak_form]\ncells.all = "
                           "\"d*test(d)\"\n[fields]\n";
  const Case c = read_text(mesh + "d = { bounds = [0, 1.5] }\nfree = {}\n"
                                  "u = { shape = \"vector\", bounds = [[-inf, \"x\"], inf] }\n");
  ASSERT_EQ(c.bounds.size(), 2u);
  EXPECT_EQ(c.bounds[0].field, "d");
  EXPECT_EQ(c.bounds[0].lower.at(0)->text, "0");
  EXPECT_EQ(c.bounds[0].upper.at(0)->text, "1.5");
  ASSERT_EQ(c.bounds[1].lower.size(), 2u);
  EXPECT_FALSE(c.bounds[1].lower[0]);
  EXPECT_EQ(c.bounds[1].lower[1]->text, "x");
  ASSERT_EQ(c.bounds[1].upper.size(), 1u);
  EXPECT_FALSE(c.bounds[1].upper[0]);
  for (const char *bounds : {"[1]", "[0, 1, 2]", "[inf, inf]", "[nan, 1]", "1", "\"x\""})
    EXPECT_THROW(read_text(mesh + "d = { bounds = " + bounds + " }\n"), Error) << bounds;
}

TEST(ReadCase, Integrals) {
  const Case c = read_text(whole_case);
  ASSERT_EQ(c.form.integrals.size(), 4u);
  EXPECT_EQ(c.form.integrals[0].groups, std::vector<std::string>{"fins"});
  EXPECT_TRUE(c.form.integrals[1].groups.empty());
  EXPECT_EQ(c.form.integrals[1].integrand.key, "[weak_form] cells.all");
  EXPECT_EQ(c.form.integrals[1].integrand.line, 22);
  EXPECT_EQ(c.form.integrals[2].domain, Domain::facets);
  EXPECT_TRUE(c.form.integrals[2].groups.empty());
  EXPECT_EQ(c.form.integrals[3].domain, Domain::interior);
  EXPECT_EQ(c.form.integrals[3].integrand.text, "0");
}

TEST(ReadCase, ConditionsInTheOrderOfTheFile) {
  const Case c = read_text(whole_case);
  ASSERT_EQ(c.dirichlet.size(), 3u);
  EXPECT_EQ(c.dirichlet[0].group, "zeta");
  EXPECT_EQ(c.dirichlet[0].component, -1);
  EXPECT_EQ(c.dirichlet[1].group, "zeta");
  EXPECT_EQ(c.dirichlet[1].field, "u");
  EXPECT_EQ(c.dirichlet[1].component, 1);
  EXPECT_EQ(c.dirichlet[2].group, "alpha");
  EXPECT_EQ(c.dirichlet[2].component, 2);
  EXPECT_EQ(c.initial[0].value.text, "[1, 2, 3]");
  EXPECT_EQ(c.exact[0].value.text, "[x, y, 0]");
}

TEST(ReadCase, Functionals) {
  const Case c = read_text(whole_case);
  ASSERT_EQ(c.functionals.size(), 4u);
  EXPECT_EQ(c.functionals[0].domain, Domain::facets);
  EXPECT_EQ(c.functionals[0].groups, std::vector<std::string>{"fins"});
  EXPECT_EQ(c.functionals[1].kind, FunctionalKind::average);
  EXPECT_EQ(c.functionals[1].groups.size(), 2u);
  EXPECT_TRUE(c.functionals[2].groups.empty());
  EXPECT_EQ(c.functionals[3].kind, FunctionalKind::point);
  EXPECT_EQ(c.functionals[3].point, (std::vector<double>{2, 0}));
}

TEST(ReadCase, Box) {
  const Case c = read_text(R"toml([mesh]
box = { origin = [1, 2, 3], size = [4, 5, 6], cells = [7, 8, 9], cell = "prism", distort = 0.2, periodic = ["y"] }
[fields]
T = {}
[pointwise]
T = { f0 = 0, f1 = "return;", language = "c" }
)toml");
  const BoxSpec &box = *c.mesh.box;
  EXPECT_EQ(box.dim, 3);
  EXPECT_EQ(box.origin, (std::array<double, 3>{1, 2, 3}));
  EXPECT_EQ(box.size, (std::array<double, 3>{4, 5, 6}));
  EXPECT_EQ(box.cells, (std::array<int, 3>{7, 8, 9}));
  EXPECT_EQ(box.cell, "prism");
  EXPECT_DOUBLE_EQ(box.distort, 0.2);
  EXPECT_EQ(box.periodic, (std::array<bool, 3>{false, true, false}));
  EXPECT_TRUE(c.form.pointwise[0].c_text);
  EXPECT_EQ(c.form.pointwise[0].f0->text, "0");
}

TEST(ReadCase, PhysicsFileIsMergedFirst) {
  const CaseFolder folder;
  folder.write("law.toml", R"toml(title = "A law"
[parameters]
k = 1
q = { left = 1, right = 2 }
[fields]
T = { element = "P1" }
[weak_form]
cells.all = "k*inner(grad(T), grad(test(T)))"
facets.all = "q*test(T)"
)toml");
  const std::string text = R"toml(physics = ["law.toml"]
[mesh]
box = { cells = [2, 2] }
[fields]
T = { element = "P2" }
[parameters]
q = 5
r = 6
[weak_form]
facets.all = "r*test(T)"
facets.x0 = "T*test(T)"
)toml";
  const Case c = read_case(folder.write("case.toml", text));
  EXPECT_EQ(c.title, "");
  ASSERT_EQ(c.form.fields.size(), 1u);
  EXPECT_EQ(c.form.fields[0].order, 2);
  ASSERT_EQ(c.form.parameters.size(), 3u);
  EXPECT_EQ(c.form.parameters[0].value->file, folder.path("law.toml"));
  EXPECT_EQ(c.form.parameters[1].value->text, "5");
  EXPECT_TRUE(c.form.parameters[1].by_group.empty());
  ASSERT_EQ(c.form.integrals.size(), 3u);
  EXPECT_EQ(c.form.integrals[1].integrand.text, "r*test(T)");
  EXPECT_EQ(c.form.integrals[1].integrand.file, folder.path("case.toml"));
}

TEST(ReadCase, Overrides) {
  const std::string text =
      small_case + "[parameters]\nk = { a = 1 }\n[dirichlet]\nx1 = { T = 1 }\n";
  const Case c =
      read_text(text, {"solver.tolerance=1e-6", "fields.T.element=P3", "parameters.k=2*x",
                       "dirichlet.a.\"T\"=3", "mesh.box.cells=[3, 4]"});
  EXPECT_DOUBLE_EQ(c.solver.tolerance, 1e-6);
  EXPECT_EQ(c.form.fields[0].order, 3);
  EXPECT_EQ(c.form.parameters[0].value->text, "2*x");
  EXPECT_EQ(c.form.parameters[0].value->where(), "--set parameters.k=2*x: [parameters] k");
  EXPECT_EQ(c.mesh.box->cells[1], 4);
  ASSERT_EQ(c.dirichlet.size(), 2u); // those of the command line come last
  EXPECT_EQ(c.dirichlet[1].group, "a");
}

TEST(ReadCase, EveryCaseOfTheRepositoryIsRead) {
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/cases")) {
    const auto path = entry.path() / "case.toml";
    if (!std::filesystem::exists(path))
      continue;
    SCOPED_TRACE(path.string());
    EXPECT_NO_THROW({
      const Case c = read_case(path.string());
      EXPECT_FALSE(c.title.empty());
      const auto expected = read_expectations((entry.path() / "expect.toml").string());
      EXPECT_FALSE(expected.entries.empty());
    });
    ++count;
  }
  EXPECT_GT(count, 4);
}

} // namespace
TEST(ReadCase, SolversInLowPrecision) {
  const std::string start =
      "[mesh]\nbox = { cells = [2, 2] }\n[fields]\nu = { element = \"P1\" }\n"
      "[weak_form]\ncells.all = \"inner(grad(u), grad(test(u)))\"\n[solver]\n";
  const SolverSpec open = read_text(start).solver;
  EXPECT_EQ(open.op + open.method + open.preconditioner, "");
  EXPECT_FALSE(open.has_inner);
  const SolverSpec multigrid =
      read_text(start + "preconditioner = { kind = \"multigrid\", precision = [\"f32\", \"bf16\"], "
                        "cycle = \"K\", smoother = \"jacobi\", sweeps = 3, degree = 5, "
                        "strength = 0.1, reuse = false, coarsening = \"nested\" }")
          .solver;
  EXPECT_EQ(multigrid.preconditioner, "multigrid");
  EXPECT_EQ(multigrid.multigrid.precision, (std::vector<std::string>{"f32", "bf16"}));
  EXPECT_EQ(multigrid.multigrid.cycle, "K");
  EXPECT_EQ(multigrid.multigrid.smoother, "jacobi");
  EXPECT_EQ(multigrid.multigrid.sweeps, 3);
  EXPECT_EQ(multigrid.degree, 5);
  EXPECT_EQ(multigrid.multigrid.strength, 0.1);
  EXPECT_EQ(multigrid.reuse, false);
  EXPECT_EQ(multigrid.coarsening, "nested");
  const SolverSpec inner =
      read_text(start + "method = \"defect_correction\"\ninner = { method = \"cg\", "
                        "precision = \"f16\", iterations = 7, damping = 0.8 }")
          .solver;
  EXPECT_TRUE(inner.has_inner);
  EXPECT_EQ(inner.inner.method, "cg");
  EXPECT_EQ(inner.inner.precision, "f16");
  EXPECT_EQ(inner.inner.iterations, 7);
  EXPECT_EQ(inner.inner.damping, 0.8);
}

} // namespace weft
