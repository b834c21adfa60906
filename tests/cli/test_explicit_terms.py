"""Terms of weak forms that are taken explicitly in time: orders, solvers, restarts, ranks, what is refused."""

import csv
import re
import unittest

from ranks_cli import HAS_MPI, RanksTest
from weft_cli import CASE, NUMBERS_FAILED, WRONG_INPUT, CommandLineTest, extended, replaced, with_others

# Quadratic in place, so that P2 has no error of space: u = (1 + x + y^2) sin(3 t + 0.5), with a convection
# that depends on u.
BURGERS = """\
[mesh]
box = { cells = [2, 2], cell = "triangle" }

[parameters]
w = "1 + x + y^2"
s = "sin(3*t + 0.5)"
k = 0.1

[fields]
u = { element = "P2" }

[weak_form]
cells.all = "(dt(u) - 3*w*cos(3*t + 0.5) + 2*k*s - w*s^2)*test(u) + k*inner(grad(u), grad(test(u)))"
explicit.cells.all = "u*grad(u)[0]*test(u)"

[dirichlet]
boundary = { u = "w*s" }

[initial]
u = "w*s"

[time]
scheme = "bdf2"
end = 1.0
step = 0.0125

[solver]
tolerance = 1e-12

[exact]
u = "w*s"

[verify]
expect_time = { u = 2.0 }

[functionals]
mean = { average = "u" }
"""

# What is prescribed does not move here: the natural condition of the exact solution holds.
NEUMANN = replaced(
    replaced(BURGERS, '[dirichlet]\nboundary = { u = "w*s" }\n', ""),
    "explicit.cells",
    'facets.x0 = "k*s*test(u)"\nfacets.x1 = "-k*s*test(u)"\nfacets.y1 = "-2*k*s*test(u)"\nexplicit.cells',
)

# u = (y^2, x^2) g(t), p = (x + y - 1) g(t): convection explicit, the Stokes part implicit.
FLOW = """\
[mesh]
box = { cells = [3, 3], cell = "triangle" }

[parameters]
nu = 0.1
g = "sin(2*t + 0.5)"
rate = "2*cos(2*t + 0.5)"
f = ["y^2*rate + 2*x^2*y*g^2 - 2*nu*g + g", "x^2*rate + 2*x*y^2*g^2 - 2*nu*g + g"]

[fields]
u = { element = "P2", shape = "vector" }
p = { element = "P1" }

[weak_form]
cells.all = \"\"\"dot(dt(u) - f, test(u)) + nu*inner(grad(u), grad(test(u)))
               - p*div(test(u)) - div(u)*test(p)\"\"\"
explicit.cells.all = "dot(dot(grad(u), u), test(u))"

[dirichlet]
boundary = { u = ["y^2*g", "x^2*g"] }

[initial]
u = ["y^2*g", "x^2*g"]
p = "(x + y - 1)*g"

[time]
scheme = "bdf2"
end = 0.5
step = 0.025

[solver]
tolerance = 1e-12

[exact]
u = ["y^2*g", "x^2*g"]
p = "(x + y - 1)*g"

[verify]
expect_time = { u = 2.0 }
"""

# A hill in a wind, of discontinuous elements: all of its convection is explicit, its diffusion implicit.
INTERIOR = """\
[mesh]
box = { cells = [8, 8], cell = "quadrilateral" }

[parameters]
b = [1.0, 0.5]
k = 0.01

[fields]
u = { element = "DG2" }

[weak_form]
cells.all = "dt(u)*test(u) + k*inner(grad(u), grad(test(u)))"
interior.all = \"\"\"-k*dot(avg(grad(u)), n)*jump(test(u)) - k*dot(avg(grad(test(u))), n)*jump(u)
                  + 20*k/avg(cell_size)*jump(u)*jump(test(u))\"\"\"
explicit.cells.all = "-u*dot(b, grad(test(u)))"
explicit.interior.all = "(dot(b, n)*avg(u) + abs(dot(b, n))/2*jump(u))*jump(test(u))"
explicit.facets.all = "where(dot(b, n) > 0, dot(b, n)*u, 0)*test(u)"

[initial]
u = "exp(-50*((x - 0.3)^2 + (y - 0.3)^2))"

[time]
scheme = "bdf2"
end = 0.1
step = 0.01

[solver]
tolerance = 1e-12

[functionals]
mean = { average = "u" }
square = { integral = "u^2" }
"""

ADDITIVE = {
    "euler": ('scheme = "theta"\ntheta = 1.0', 1),
    "cnab": ('scheme = "theta"', 2),
    "bdf2": ('scheme = "bdf2"', 2),
    "dirk2": ('scheme = "dirk2"', 2),
    "dirk3": ('scheme = "dirk3"', 2.9),  # the third order comes late
}


def with_scheme(text, scheme):
    return replaced(text, 'scheme = "bdf2"', ADDITIVE[scheme][0])


# Convection and diffusion, both linear.
WIND = """\
[mesh]
box = { cells = [8, 8], cell = "triangle" }

[parameters]
b = [1.0, 0.5]

[fields]
T = { element = "P2" }

[weak_form]
cells.all = "dt(T)*test(T) + 0.1*dot(grad(T), grad(test(T)))"
facets.x1 = "0.1*(T - 1)*test(T)"
explicit.cells.all = "dot(b, grad(T))*test(T)"

[dirichlet]
x0 = { T = "sin(t)" }

[time]
scheme = "bdf2"
end = 0.4
step = 0.02

[functionals]
mean = { average = "T" }

[output]
every = 0.2
checkpoint_every = 0.2
"""


def implicit(text):
    """The same with all terms taken implicitly."""
    for line, key, term in re.findall(r'(explicit\.(\S+) = "(.*)"\n)', text):
        text = text.replace(line, "")
        other = re.search(rf'^{re.escape(key)} = "+', text, re.MULTILINE)
        if other:
            text = text[: other.end()] + term + " + " + text[other.end() :]
        else:
            text = replaced(text, "[weak_form]\n", f'[weak_form]\n{key} = "{term}"\n')
    return text


class ExplicitTerms(RanksTest):
    def rows(self, folder="out"):
        with open(self.folder / folder / "functionals.csv", newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def verify(self, text):
        self.write("case.toml", text)
        self.weft("verify", "case.toml")

    @extended
    def test_orders(self):
        moving = [(BURGERS, scheme) for scheme in ADDITIVE]
        natural = [(NEUMANN, scheme) for scheme in ADDITIVE]
        for text, scheme in with_others([*moving, natural[-1]], natural[:-1]):
            with self.subTest(scheme=scheme, text=text):
                self.verify(replaced(with_scheme(text, scheme), "u = 2.0", f"u = {ADDITIVE[scheme][1]}"))

    def test_order_of_a_flow(self):
        """That of the velocity; moving prescribed values cost dirk3 a part of its third."""
        for scheme, order in with_others([("bdf2", 2), ("dirk3", 2.8)], [("cnab", 2), ("dirk2", 2)]):
            with self.subTest(scheme=scheme):
                self.verify(replaced(with_scheme(FLOW, scheme), "u = 2.0", f"u = {order}"))

    def mean(self, text, *arguments):
        self.run_case(text, *arguments)
        return self.results()["functionals"]["mean"]

    def test_the_system_is_that_of_the_other_terms(self):
        self.run_case(WIND)
        solver = self.results()["solver"]
        self.assertEqual(solver["method"], "cg")
        self.run_case(implicit(WIND))
        self.assertNotEqual(self.results()["solver"]["method"], "cg")
        self.run_case(BURGERS)
        self.assertEqual(self.results()["solver"]["method"], "cg")
        done = self.weft("check", "case.toml", "--stage", "form")
        self.assertTrue(done.stdout.startswith("linear, symmetric"), done.stdout)
        self.assertIn("explicit in time: non-linear", done.stdout)
        for stage in "source", "cost":
            self.weft("check", "case.toml", "--stage", stage)

    @extended
    def test_comes_to_the_implicit_solution(self):
        for scheme in with_others(["bdf2", "dirk3"], ["cnab", "dirk2"]):
            with self.subTest(scheme=scheme):
                exact = self.mean(with_scheme(implicit(WIND), scheme), "--set", "time.step=0.0025")
                coarse, fine = (
                    abs(self.mean(with_scheme(WIND, scheme), "--set", f"time.step={step}") - exact)
                    for step in (0.02, 0.01)
                )
                self.assertLess(coarse, 3e-4)
                self.assertLess(fine, coarse / 3)
        exact = self.mean(implicit(INTERIOR), "--set", "time.step=0.0025")
        self.assertAlmostEqual(self.mean(INTERIOR), exact, delta=1e-6)

    def test_matrix_free_as_assembled(self):
        for scheme in with_others(["bdf2", "dirk2"], ["euler", "cnab", "dirk3"]):
            means = [
                self.mean(replaced(with_scheme(INTERIOR, scheme), "[solver]", f'[solver]\noperator = "{operator}"'))
                for operator in ("assembled", "matrix_free")
            ]
            self.assertAlmostEqual(means[0], means[1], delta=1e-10)

    @extended
    def test_same_bits_after_a_restart(self):
        schemes = {name: with_scheme(WIND, name) for name in ADDITIVE}
        schemes["adaptive"] = replaced(WIND, "step = 0.02", "step = 0.02\nadaptive = { tolerance = 1e-3 }")
        for name, text in schemes.items():
            with self.subTest(scheme=name):
                self.write("case.toml", text)
                self.weft("run", "case.toml", "--out", f"{name}_whole")
                self.weft("run", "case.toml", "--out", name, "--set", "time.end=0.2")
                self.weft("run", "case.toml", "--out", name, "--restart", f"{name}/checkpoint.h5")
                self.assertEqual(self.rows(f"{name}_whole"), self.rows(name))

    @extended
    @unittest.skipUnless(HAS_MPI, "no MPI")
    def test_ranks_agree(self):
        cases = {
            "bdf2": WIND,
            "flow": with_scheme(FLOW, "dirk2") + '\n[functionals]\nmean = { average = "norm(u)" }\n',
            "interior": with_scheme(INTERIOR, "dirk3"),
        }
        for name, text in cases.items():
            case = self.write(f"{name}.toml", text)
            self.weft("run", case, "--out", "alone")
            self.weft_on(2, "run", case, "--out", "two")
            one, two = self.rows("alone"), self.rows("two")
            self.assertEqual(len(one), len(two))
            self.assertAlmostEqual(one[-1]["mean"], two[-1]["mean"], delta=1e-7)

    def test_steps_that_are_too_long(self):
        """Diffusion without any implicit term, at a hundred times the longest step."""
        text = replaced(WIND, "+ 0.1*dot(grad(T), grad(test(T)))", "")
        text = replaced(text, "dot(b, grad(T))*test(T)", "dot(grad(T), grad(test(T)))")
        self.run_case(replaced(text, "end = 0.4", "end = 0.1"))
        self.assertIn("too long, perhaps for the terms of [weak_form] explicit", self.results()["solver"]["remark"])
        done = self.run_case(replaced(text, "end = 0.4", "end = 40"), expect=NUMBERS_FAILED)
        self.assertIn("try a shorter [time] step", done.stdout + done.stderr)
        self.run_case(WIND)
        self.assertNotIn("remark", self.results()["solver"])


class WrongInput(CommandLineTest):
    def refused(self, text, *parts):
        case = self.write("case.toml", text)
        for command in ("check", case, "--stage", "form"), ("run", case):
            self.assert_error(self.weft(*command, expect=WRONG_INPUT), *parts)

    def test_without_time(self):
        self.refused(
            replaced(CASE, "[weak_form]", '[weak_form]\nexplicit.cells.all = "u*test(u)"'),
            "taken explicitly in time, of a case without time",
        )
        self.refused(
            replaced(WIND, "dt(T)*test(T)", "T*test(T)").replace('scheme = "bdf2"\n', ""),
            "of a weak form without dt()",
        )

    def test_schemes(self):
        for scheme in "dirk4", "generalised_alpha":
            self.refused(
                replaced(WIND, '"bdf2"', f'"{scheme}"'),
                "no explicit part",
                f'scheme = "{scheme}"',
                "theta, bdf2, dirk2",
            )
        self.refused(
            replaced(WIND, 'scheme = "bdf2"\n', "").replace("dt(T)*test(T)", "dt(dt(T))*test(T)"),
            "of a weak form with dt(dt())",
        )

    def test_terms(self):
        self.refused(replaced(WIND, "dot(b, grad(T))", "(dt(T) + T)"), "dt() in a term that is taken explicitly")
        text = with_scheme(WIND, "dirk2")
        self.refused(replaced(text, "dt(T)*test(T)", "(1 + T^2)*dt(T)*test(T)"), "depends on the fields", "bdf2")
        self.refused(replaced(text, "dt(T)*test(T)", "(1 + t)*dt(T)*test(T)"), "depends on time")
        self.refused(
            replaced(with_scheme(FLOW, "dirk3"), "grad(u), u), test(u))", "grad(u), u), test(u)) + 0.1*p*test(p)"),
            "a term with test(p)", "no dt(p)",
        )  # fmt: skip

    def test_of_a_law(self):
        law = '[conservation_law]\nflux.T = "T*b"\n'
        text = (
            WIND[: WIND.index("cells.all")] + 'explicit.cells.all = "T*test(T)"\n' + law + WIND[WIND.index("[time]") :]
        )
        self.refused(replaced(text, "P2", "DG2"), "a conservation law beside a weak form")


if __name__ == "__main__":
    unittest.main()
