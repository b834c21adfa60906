"""Second derivatives in the form language: stabilisation, plates, results, and what is refused."""

import math
import unittest

from ranks_cli import HAS_MPI, RanksTest
from weft_cli import CASE, DONE, ROOT, WRONG_INPUT, extended, replaced, with_others

PLATE = ROOT / "cases" / "kirchhoff_plate" / "case.toml"

# Convection and diffusion with the residual, diffusion included, along the streamlines.
STREAMLINES = """
[mesh]
box = { cells = [NUMBER, NUMBER], cell = "TYPE", distort = 0.1 }
[parameters]
b = [1, 0.5]
e = 0.02
exact = "sin(2*x + y)"
source = "b[0]*2*cos(2*x + y) + b[1]*cos(2*x + y) + 5*e*exact"
[fields]
u = { element = "P2" }
[definitions]
residual = "dot(b, grad(u)) - e*div(grad(u)) - source"
tau = "1/(2*norm(b)/cell_size + 16*e/cell_size^2)"
[weak_form]
cells.all = '''e*inner(grad(u), grad(test(u))) + (dot(b, grad(u)) - source)*test(u)
             + tau*residual*dot(b, grad(test(u)))'''
[dirichlet]
boundary = { u = "exact" }
[solver]
method = "direct"
[exact]
u = "exact"
[functionals]
left_over = { integral = "residual^2" }
"""

# lap(lap(u)) = f on a simply supported square, by C0 interior penalty.
BIHARMONIC = """
[mesh]
box = { cells = [NUMBER, NUMBER], cell = "TYPE" }
[parameters]
s = "sin(pi*x)*sin(pi*y)"
penalty = PENALTY
[fields]
u = { element = "ELEMENT" }
[weak_form]
cells.all = "inner(grad(grad(u)), grad(grad(test(u)))) - 4*pi^4*s*test(u)"
interior.all = '''-dot(dot(avg(grad(grad(u))), n), n)*dot(jump(grad(test(u))), n)
  - dot(jump(grad(u)), n)*dot(dot(avg(grad(grad(test(u)))), n), n)
  + penalty/avg(cell_size)*dot(jump(grad(u)), n)*dot(jump(grad(test(u))), n)'''
[dirichlet]
boundary = { u = 0 }
[solver]
method = "direct"
[exact]
u = "s"
[functionals]
bend = { integral = "inner(grad(grad(u - s)), grad(grad(u - s)))" }
"""


def filled(text, **values):
    for name, value in values.items():
        text = text.replace(name, str(value))
    return text


class SecondDerivativeTest(RanksTest):
    def solve(self, text):
        self.run_case(text, expect=DONE)
        return self.results()

    def orders(self, text, cells, *values):
        """Of value(results) between two meshes, the second of half the size, each."""
        coarse, fine = (self.solve(text.replace("NUMBER", str(n))) for n in cells)
        return [math.log2(value(coarse) / value(fine)) for value in values]


def error_in_l2(results):
    return results["errors"]["u"]["L2"]


def bend_error(results):
    return math.sqrt(results["functionals"]["bend"])


class Stabilisation(SecondDerivativeTest):
    @extended
    def test_the_whole_residual_is_consistent(self):
        for cell in with_others(["quadrilateral"], ["triangle"]):
            text = filled(STREAMLINES, TYPE=cell).replace("e = 0.02", "e = 0.2")
            self.assertGreater(self.orders(text, (8, 16), error_in_l2)[0], 2.7, cell)

    @extended
    def test_operators_and_strategies_agree(self):
        text = filled(STREAMLINES, NUMBER=6, TYPE="quadrilateral")
        expected = self.solve(text)["functionals"]["left_over"]
        for strategy, operator in (("cell", "matrix_free"), ("block", "assembled")):
            solver = f'method = "gmres"\ntolerance = 1e-12\noperator = "{operator}"'
            device = f'[device]\nstrategy = "{strategy}"\n'
            found = self.solve(replaced(text, 'method = "direct"', solver) + device)
            self.assertAlmostEqual(found["functionals"]["left_over"] / expected, 1, delta=1e-6)

    @unittest.skipUnless(HAS_MPI, "no MPI")
    def test_processes_share_it(self):
        text = filled(STREAMLINES, NUMBER=8, TYPE="triangle").replace(
            'method = "direct"', 'method = "gmres"\ntolerance = 1e-12'
        )
        expected = self.solve(text)["functionals"]["left_over"]
        self.weft_on(2, "run", "case.toml", "--out", "shared")
        found = self.results("shared")["functionals"]["left_over"]
        self.assertAlmostEqual(found / expected, 1, delta=1e-6)


class Plates(SecondDerivativeTest):
    @extended
    def test_orders(self):
        """p - 1 of second derivatives; 2 of values with p = 2, else p + 1."""
        for element, cell, penalty, cells, least in (
            ("P2", "triangle", 8, (8, 16), 1.7),
            ("P3", "quadrilateral", 20, (4, 8), 3.4),
        ):
            text = filled(BIHARMONIC, TYPE=cell, ELEMENT=element, PENALTY=penalty)
            of_values, of_bends = self.orders(text, cells, error_in_l2, bend_error)
            self.assertGreater(of_values, least, element)
            self.assertGreater(of_bends, int(element[1]) - 1.3, element)

    def test_simply_supported(self):
        self.weft("run", PLATE, "--out", "out", "--set", 'weak_form.facets.all="0*test(w)"')
        self.assertAlmostEqual(self.results()["functionals"]["w_centre"], 0.00406235, delta=4e-6)


class Results(SecondDerivativeTest):
    def test_points_and_fields(self):
        text = """
[mesh]
box = { cells = [2, 2], cell = "triangle" }
[fields]
u = { element = "P3" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) + (6*x + 2*y)*test(u)"
[dirichlet]
boundary = { u = "x^3 + x^2*y" }
[functionals]
bend = { value = "grad(grad(u))[0, 0]", point = [0.3, 0.4] }
twist = { value = "grad(grad(u))[0, 1]", point = [0.3, 0.4] }
load = { average = "div(grad(u))" }
[output]
fields = ["u", "curvature"]
[definitions]
curvature = "div(grad(u))"
"""
        found = self.solve(text)["functionals"]
        self.assertAlmostEqual(found["bend"], 6 * 0.3 + 2 * 0.4, delta=1e-7)
        self.assertAlmostEqual(found["twist"], 2 * 0.3, delta=1e-7)
        self.assertAlmostEqual(found["load"], 3 + 1, delta=1e-7)

    @extended
    def test_gradients_of_functionals(self):
        text = filled(STREAMLINES, NUMBER=4, TYPE="quadrilateral").replace(
            '"residual^2" }', '"residual^2", gradient = ["e"] }'
        )
        found = self.solve(text)["gradients"]["left_over"]["e"]
        above, below = (
            self.solve(text.replace("e = 0.02", f"e = {e}"))["functionals"]["left_over"] for e in (0.0202, 0.0198)
        )
        self.assertAlmostEqual(found / ((above - below) / 0.0004), 1, delta=1e-3)


class Refusals(SecondDerivativeTest):
    def refuse(self, text, *parts):
        self.assert_error(self.run_case(text, expect=WRONG_INPUT), *parts)

    def test_third_derivatives(self):
        text = replaced(CASE, "- f*test(u)", "+ inner(grad(div(grad(u))), grad(test(u))) - f*test(u)")
        self.refuse(text, "a third derivative of a field", "integrate by parts")

    def test_equations_not_integrated_by_parts(self):
        text = replaced(CASE, "inner(grad(u), grad(test(u)))", "u*div(grad(test(u)))")
        self.refuse(text, "second derivatives in the equation of `u`", "integrate by parts")

    def test_of_conservation_laws(self):
        self.refuse(
            """
[mesh]
box = { cells = [4, 4] }
[fields]
u = { element = "DG2" }
[conservation_law]
flux = { u = "u*[1, 0] - grad(u)" }
source = { u = "div(grad(u))" }
[boundary.all]
outer = { u = "0" }
[time]
end = 1
""",
            "a second derivative in a conservation law",
        )

    def test_coarser_discretisations(self):
        text = filled(BIHARMONIC, NUMBER=4, TYPE="triangle", ELEMENT="P2", PENALTY=8)
        nested = 'method = "cg"\npreconditioner = { kind = "multigrid", coarsening = "nested" }'
        self.refuse(replaced(text, 'method = "direct"', nested), "multigrid by coarser discretisations")

    def test_linear_triangles_have_none(self):
        text = filled(STREAMLINES, NUMBER=4, TYPE="triangle").replace("P2", "P1")
        done = self.run_case(text, expect=DONE)
        self.assertIn("second derivatives of `u` are 0 in every cell", done.stderr + done.stdout)
        text = filled(STREAMLINES, NUMBER=4, TYPE="triangle")
        done = self.run_case(text, expect=DONE)
        self.assertNotIn("are 0 in every cell", done.stderr + done.stdout)
