"""Fields that are unknown in some regions only: contact, one region alone, flow beside a wall, what is refused."""

import csv
import unittest
from math import isnan

from ranks_cli import HAS_MPI, SystemsTest
from weft_cli import WRONG_INPUT, CommandLineTest, extended, replaced, with_others

# Two bars, a field each, and the resistance 1/h of their contact: resistances 1 + 1/2 + 1/3 in series.
CONTACT = """
[mesh]
box = { size = [2, 0.2], cells = [8, 2], cell = "quadrilateral" }
groups.a = { cells = "x < 1 + 1e-9" }
groups.b = { cells = "x > 1 - 1e-9" }
groups.glue = { between = ["a", "b"] }
[parameters]
h = 2
k = { a = 1, b = 3 }
[fields]
T1 = { element = "P1", cells = "a" }
T2 = { element = "P2", cells = ["b"] }
[weak_form]
cells.all = "k*dot(grad(T1), grad(test(T1))) + k*dot(grad(T2), grad(test(T2)))"
interior.glue = "h*(T1 - T2)*(test(T1) - test(T2))"
[dirichlet]
x0 = { T1 = 1 }
x1 = { T2 = 0 }
[functionals]
least = { minimum = "T1" }
largest = { maximum = "T2" }
mean = { average = "T1" }
jump = { integral = "h*(T1 - T2)", facets = "glue" }
inflow = { integral = "k*dot(grad(T2), n)", facets = "glue" }
at = { point = [1, 0.1], value = "T1" }
[exact]
T1 = "1 - 6/11*x"
T2 = "(2 - x)*2/11"
[output]
fields = ["T1", "T2", "k*grad(T1)"]
probes = [[0.5, 0.1], [1.0, 0.1], [1.5, 0.1]]
lines = [{ name = "along", from = [0, 0.1], to = [2, 0.1], points = 5 }]
"""
# A plate of which one half is heated, and the half alone.
HALF = """
[mesh]
box = { size = [1, 1], cells = [5, 7], cell = "triangle" }
groups.half = { cells = "x < 1 + 1e-9" }
[fields]
u = { element = "P2", shape = "vector" }
[weak_form]
cells.all = "inner(sym(grad(u)), sym(grad(test(u)))) + div(u)*div(test(u)) - (1 + x*y)*test(u)[1] + u[0]^3*test(u)[0]"
[dirichlet]
x0 = { u = [0, "0.1*y"] }
[functionals]
size = { integral = "dot(u, u)" }
stretch = { maximum = "div(u)" }
"""
PART = replaced(replaced(HALF, "size = [1, 1], cells = [5, 7]", "size = [2, 1], cells = [10, 7]"),
                'shape = "vector"', 'shape = "vector", cells = "half"')  # fmt: skip
# Nothing determines the constant of T.
INSULATED = """
[mesh]
box = { size = [2, 1], cells = [32, 4], cell = "quadrilateral" }
groups.half = { cells = "x < 1 + 1e-9" }
[fields]
T = { element = "P2", cells = "half" }
[weak_form]
cells.all = "dot(grad(T), grad(test(T))) - pi^2*cos(pi*x)*test(T)"
[exact]
T = "cos(pi*x)"
"""
# Flow past a wall, through which its heat goes; T is everywhere.
CHANNEL = """
[mesh]
box = { size = [2, 1], cells = [8, 8], cell = "triangle" }
groups.fluid = { cells = "y > 0.5 - 1e-9" }
groups.solid = { cells = "y < 0.5 + 1e-9" }
groups.wall = { between = ["fluid", "solid"] }
groups.inlet = { facets = "x < 1e-9 and y > 0.5 - 1e-9" }
groups.outlet = { facets = "x > 2 - 1e-9 and y > 0.5 - 1e-9" }
[parameters]
k = { fluid = 0.1, solid = 1 }
[fields]
u = { element = "P2", shape = "vector", cells = "fluid" }
p = { element = "P1", cells = "fluid" }
T = { element = "P2" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - p*div(test(u)) + test(p)*div(u) + k*dot(grad(T), grad(test(T))) + (dot(u, grad(T)) - 1)*test(T)"
[dirichlet]
wall = { u = [0, 0] }
y1 = { u = [0, 0], T = 0 }
inlet = { u = ["16*(y - 0.5)*(1 - y)", 0] }
y0 = { T = 0 }
[functionals]
outflow = { integral = "dot(u, n)", facets = "outlet" }
drop = { integral = "p", facets = "inlet" }
mean = { average = "T" }
"""  # noqa: E501
# Discontinuous elements in one region, joined within it; the outer surface is a group.
JOINED = """
[mesh]
box = { size = [2, 1], cells = [8, 4], cell = "triangle" }
groups.half = { cells = "x < 1 + 1e-9" }
groups.rest = { cells = "x > 1 - 1e-9" }
groups.end = { between = ["half", "rest"] }
[fields]
T = { element = "DG1", cells = "half" }
[weak_form]
cells.all = "dot(grad(T), grad(test(T)))"
interior.all = "-dot(avg(grad(T)), n)*jump(test(T)) - jump(T)*dot(avg(grad(test(T))), n) + 10/avg(cell_size)*jump(T)*jump(test(T))"
interior.end = "1e3*(T - 2)*test(T)"
facets.x0 = "(T - 1)*test(T)"
[functionals]
mean = { average = "T" }
least = { minimum = "T" }
"""  # noqa: E501
# Heated all over one half; P1 is not exact.
HEATED = """
[mesh]
box = { size = [2, 1], cells = [8, 4], cell = "quadrilateral" }
groups.half = { cells = "x < 1 + 1e-9" }
[parameters]
q = 6
k = 2
[fields]
T = { element = "P1", cells = "half" }
[weak_form]
cells.all = "k*dot(grad(T), grad(test(T))) - q*test(T)"
[dirichlet]
x0 = { T = 0 }
[functionals]
mean = { average = "T", gradient = ["q", "k"], error = true }
out = { reaction = "T", facets = "x0" }
"""
# A body that cools beside air whose temperature is not asked for.
COOLING = """
[mesh]
box = { size = [2, 1], cells = [8, 4], cell = "quadrilateral" }
groups.body = { cells = "x < 1 + 1e-9" }
groups.air = { cells = "x > 1 - 1e-9" }
groups.skin = { between = ["body", "air"] }
[fields]
T = { element = "P1", cells = "body" }
[weak_form]
cells.all = "dt(T)*test(T) + dot(grad(T), grad(test(T)))"
interior.skin = "T*test(T)"
[initial]
T = "1 + x"
[time]
end = 1.0
step = 0.1
[output]
every = 0.5
checkpoint_every = 0.5
[over_time]
most = { maximum = "T" }
[functionals]
mean = { average = "T" }
hottest = { maximum = "most" }
"""


class FieldRegions(CommandLineTest):
    def check_contact(self):
        results = self.results()
        found = results["functionals"]
        for name, value in (("least", 5 / 11), ("largest", 2 / 11), ("mean", 8 / 11), ("jump", 1.2 / 11),
                            ("inflow", 1.2 / 11), ("at", 5 / 11)):  # fmt: skip
            self.assertAlmostEqual(found[name], value, 9, name)
        for field in ("T1", "T2"):
            self.assertLess(results["errors"][field]["H1"], 1e-9)

    @extended
    def test_contact_by_every_operator(self):
        for arguments in (
            (),
            ("--set", "solver.operator=matrix_free", "--set", "solver.preconditioner=jacobi"),
            ("--set", "solver.operator=assembled", "--set", "solver.preconditioner=jacobi"),
            ("--set", "device.strategy=cell", "--set", "solver.operator=matrix_free"),
            ("--set", "solver.preconditioner=multigrid"),
            ("--set", "solver.preconditioner=blocks"),
        ):
            with self.subTest(arguments):
                self.run_case(CONTACT, *arguments, "--set", "solver.tolerance=1e-12")
                self.check_contact()

    def test_either_side_may_be_the_first(self):
        swapped = replaced(CONTACT, '["a", "b"]', '["b", "a"]')
        self.run_case(swapped)
        self.check_contact()

    def test_outside_are_no_numbers(self):
        self.run_case(CONTACT)
        with (self.folder / "out" / "probes.csv").open(newline="") as file:
            text = file.read()
        self.assertEqual(text.count("nan"), 2, text)
        with (self.folder / "out" / "lines.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([isnan(float(row["T1"])) for row in rows], [False] * 3 + [True] * 2)
        self.assertEqual([isnan(float(row["T2"])) for row in rows], [True] * 2 + [False] * 3)
        self.assertAlmostEqual(float(rows[2]["T2"]), 2 / 11, 9)
        self.assertAlmostEqual(float(rows[2]["k*grad(T1)_0"]), -6 / 11, 9)

    def test_a_part_is_what_it_is_alone(self):
        self.run_case(HALF)
        alone = self.results()["functionals"]
        for arguments in (
            (),
            ("--set", "solver.method=direct"),
            ("--set", "solver.operator=matrix_free"),
            ("--set", "solver.preconditioner=multigrid"),
        ):
            with self.subTest(arguments):
                self.run_case(PART, *arguments)
                for name, value in self.results()["functionals"].items():
                    self.assertAlmostEqual(value, alone[name], 7, name)

    def test_a_constant_that_nothing_determines(self):
        done = self.run_case(INSULATED)
        self.assertIn("nothing determines the constant of T", done.stderr)
        self.assertLess(self.results()["errors"]["T"]["L2"], 2e-4)
        done = self.run_case(replaced(INSULATED, "cos(pi*x)*test(T)", "test(T)"), expect=WRONG_INPUT)
        self.assert_error(done, "the sources and fluxes of T do not balance")

    def test_terms_are_where_all_of_their_fields_are(self):
        self.run_case(CHANNEL)
        direct = self.results()["functionals"]
        self.assertAlmostEqual(direct["outflow"], 1 / 3, 9)
        # Poiseuille: u = 16 (y - 0.5) (1 - y), p' = -32, over a length of 2 and a height of 0.5.
        self.assertAlmostEqual(direct["drop"], 32, 6)
        self.run_case(CHANNEL, "--set", "solver.preconditioner=blocks", "--set", "solver.tolerance=1e-12")
        for name, value in self.results()["functionals"].items():
            self.assertAlmostEqual(value, direct[name], 6, name)

    def test_discontinuous_elements(self):
        for arguments in ((), ("--set", "solver.operator=matrix_free", "--set", "solver.preconditioner=jacobi")):
            self.run_case(JOINED, *arguments)
            # Resistances 1, 1 and 1e-3 in series.
            flux = 1 / 2.001
            self.assertAlmostEqual(self.results()["functionals"]["mean"], 1 + 1.5 * flux, 8)
            self.assertAlmostEqual(self.results()["functionals"]["least"], 1 + flux, 8)

    def test_steps_in_time_and_a_checkpoint(self):
        self.run_case(COOLING)
        whole = self.results()
        self.assertAlmostEqual(whole["functionals"]["hottest"], 2, 12)
        self.run_case(replaced(COOLING, "end = 1.0", "end = 0.5"))
        self.weft(
            "run", "case.toml", "--out", "on", "--restart", "out/checkpoint.h5", "--set", "time.end=1.0", "--force"
        )
        self.assertEqual(self.results("on")["functionals"]["mean"], whole["functionals"]["mean"])

    @extended
    def test_later_stages_and_files_know_where_a_field_is(self):
        parts = replaced(CONTACT, "[fields]\n", '[[stage]]\nname = "heat"\n[stage.fields]\n')
        for table in ("weak_form", "dirichlet", "functionals", "exact", "output"):
            parts = replaced(parts, f"[{table}]", f"[stage.{table}]")
        second = """
[[stage]]
name = "beside"
[stage.fields]
v = { element = "P1" }
[stage.weak_form]
cells.all = "v*test(v) - T1*test(v)"
[stage.functionals]
sum = { integral = "v" }
"""
        self.run_case(parts + second)
        self.assertAlmostEqual(self.results()["functionals"]["sum"], 0.2 * 8 / 11, 9)
        self.run_case(CONTACT)
        read = replaced(CONTACT, "[functionals]", '[initial]\nT1 = { file = "out/fields.pvd" }\n[functionals]')
        self.write("second.toml", read)
        self.weft("run", "second.toml", "--out", "second")
        self.assertLess(self.results("second")["errors"]["T1"]["L2"], 1e-9)

    def test_gradients_and_estimated_errors(self):
        self.run_case(HEATED)
        results = self.results()
        mean = results["functionals"]["mean"]
        # T = q (x - x^2/2)/k, whose mean is q/(3 k).
        self.assertAlmostEqual(results["gradients"]["mean"]["q"], mean / 6, 9)
        self.assertAlmostEqual(results["gradients"]["mean"]["k"], -mean / 2, 9)
        self.assertGreater(abs(results["functional_errors"]["mean"]["signed"]), 1e-3)
        self.assertAlmostEqual(mean + results["functional_errors"]["mean"]["signed"], 1, 9)
        self.assertAlmostEqual(results["functionals"]["out"], -6, 9)

    def test_what_is_refused(self):
        for old, new, message, where in (
            ('cells = "a"', 'cells = "c"', "no group of cells with this name", "T1"),
            ('cells = "a"', "cells = []", "unknown in no region", "T1"),
            ("cells.all", "cells.b", "a group where one of its fields is not", "cells.b"),
            ("interior.glue", "facets.x1", "a group where one of its fields is not", "facets.x1"),
            ("h*(T1 - T2)*(test(T1) - test(T2))", "h*jump(T1)*jump(test(T1))", "one of its fields is not", "glue"),
            ("k*dot(grad(T1), grad(test(T1))) +", "T2*test(T1) + k*dot(grad(T1), grad(test(T1))) +",
             "nowhere together", "cells.all"),
            ("x0 = { T1 = 1 }", "x0 = { T2 = 1 }", "a condition where the field is not", "x0"),
            ('minimum = "T1"', 'minimum = "T1 + T2"', "nowhere together", "least"),
            ('minimum = "T1"', 'minimum = "T1", cells = "b"', "a group where one of its fields is not", "least"),
            ('average = "T1"', 'integral = "T1 + T2"', "terms that are in different regions", "mean"),
            ("h*(T1 - T2)*(test(T1) - test(T2))", "n[0]*T1*test(T2)", "which way it points", "glue"),
            ("point = [1, 0.1]", "point = [1.5, 0.1]", "cells that do not touch it", "at"),
        ):  # fmt: skip
            with self.subTest(new):
                done = self.run_case(replaced(CONTACT, old, new), expect=WRONG_INPUT)
                self.assert_error(done, message, where)

    def test_what_is_refused_of_laws(self):
        law = """
[mesh]
box = { cells = [4, 4] }
groups.half = { cells = "x < 0.5 + 1e-9" }
[fields]
q = { element = "DG1", cells = "half" }
[conservation_law]
flux.q = "[q, 0]"
[boundary]
all.outer.q = 0
[time]
end = 0.1
step = 0.01
"""
        self.assert_error(self.run_case(law, expect=WRONG_INPUT), "in some regions only")


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class FieldRegionsOnRanks(SystemsTest):
    @extended
    def test_results_are_those_of_one_process(self):
        for name, text in (("contact", CONTACT), ("part", PART), ("channel", CHANNEL), ("insulated", INSULATED),
                           ("cooling", COOLING), ("joined", JOINED)):  # fmt: skip
            with self.subTest(name):
                self.write(f"{name}.toml", text)
                options = ["-q", "--set", "solver.tolerance=1e-12"]
                self.weft("run", f"{name}.toml", "--out", "serial", *options)
                for ranks in with_others([3], [2]):
                    self.weft_on(ranks, "run", f"{name}.toml", "--out", "shared", *options)
                    self.assert_near("serial", "shared", 1e-3)
