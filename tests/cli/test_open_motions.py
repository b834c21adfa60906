"""What the equations leave open: constants and rigid motions are found, checked, fixed and taken out."""

import unittest

from weft_cli import WRONG_INPUT, CommandLineTest, replaced

NEUMANN = """
[mesh]
box = { size = [1, 1], cells = [8, 8] }
[parameters]
f = "x - 0.5"
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - f*test(u)"
[functionals]
mean = { average = "u" }
end = { point = [1, 0.5], value = "u" }
start = { point = [0, 0.5], value = "u" }
"""

BODY = """
physics = ["elasticity"]
[mesh]
box = { size = [2, 1, 1], cells = [3, 2, 2], cell = "tetrahedron" }
[parameters]
E = 100.0
nu = 0.0
[fields]
u = { element = "P1", shape = "vector" }
[weak_form]
facets.x0 = "dot([1, 0, 0], test(u))"
facets.x1 = "-dot([1, 0, 0], test(u))"
[functionals]
mean = { average = "u" }
stretch = { average = "u[0]", facets = "x1" }
"""

FLOW = """
[mesh]
box = { size = [1, 1], cells = [6, 6] }
[fields]
u = { element = "P2", shape = "vector" }
p = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - p*div(test(u)) - div(u)*test(p) - dot([0, y], test(u))"
[dirichlet]
all = { u = [0, 0] }
[functionals]
mean = { average = "p" }
difference = { integral = "p*(y - 0.5)*12" }
"""


class OpenMotions(CommandLineTest):
    def functionals(self, text, *arguments):
        done = self.run_case(text, *arguments)
        return self.results()["functionals"], done

    def test_pure_neumann_with_sources_that_balance(self):
        for arguments in ((), ("--set", "solver.operator=assembled"), ("--set", "solver.method=direct")):
            values, done = self.functionals(NEUMANN, *arguments)
            self.assertIn("nothing determines the constant of u", done.stderr)
            self.assertAlmostEqual(values["mean"], 0, 12)
            # -u'' = x - 1/2 without flux: u rises by 1/12.
            self.assertAlmostEqual(values["end"] - values["start"], 1 / 12, 3)

    def test_the_mean_that_is_asked_for(self):
        values, _ = self.functionals(NEUMANN + "[mean]\nu = 3.5\n")
        self.assertAlmostEqual(values["mean"], 3.5, 12)
        values, _ = self.functionals(FLOW + "[mean]\np = -2\n")
        self.assertAlmostEqual(values["mean"], -2, 10)

    def test_a_mean_that_is_not_open(self):
        held = NEUMANN + "[dirichlet]\nx0 = { u = 0 }\n[mean]\nu = 1\n"
        done = self.run_case(held, expect=WRONG_INPUT)
        self.assert_error(done, "the mean of u is not open", "[mean]")
        for mean, message in (("v = 1", "not there"), ("u = [1, 2]", "a number for each component")):
            done = self.run_case(NEUMANN + f"[mean]\n{mean}\n", expect=WRONG_INPUT)
            self.assert_error(done, message, "[mean]")

    def test_sources_that_do_not_balance(self):
        done = self.run_case(replaced(NEUMANN, "x - 0.5", "x"), expect=WRONG_INPUT)
        self.assert_error(
            done, "no solution: a constant added to u changes nothing", "do not balance", "-0.5"
        )
        cubic = replaced(NEUMANN, "- f*test(u)", "+ (u^3 - f)*test(u)")
        self.assertNotIn("nothing determines", self.functionals(cubic)[1].stderr)
        nonlinear = replaced(NEUMANN, "inner(grad(u),", "(1 + inner(grad(u), grad(u)))*inner(grad(u),")
        self.assertIn("nothing determines", self.functionals(nonlinear)[1].stderr)

    def test_a_body_without_supports(self):
        values, done = self.functionals(BODY)
        self.assertIn("turns of u", done.stderr)
        for mean in values["mean"]:
            self.assertAlmostEqual(mean, 0, 10)
        # A bar of length 2 under a stress of 1: each end moves by 1/100.
        self.assertAlmostEqual(values["stretch"], 0.01, 8)
        lifted = replaced(BODY, "[functionals]", 'facets.z1 = "-dot([0, 0, 1], test(u))"\n[functionals]')
        self.assert_error(self.run_case(lifted, expect=WRONG_INPUT), "a constant added to u[2]", "-2")
        turned = replaced(BODY, "[functionals]", 'facets.z1 = "-dot([0, 0, x - 1], test(u))"\n[functionals]')
        self.assert_error(self.run_case(turned, expect=WRONG_INPUT), "free to turn", "do not balance")

    def test_a_pressure_between_walls(self):
        # The weight of what is heavier above: p = y^2/2 but for a constant, and no flow.
        for arguments in ((), ("--set", "solver.preconditioner=blocks")):
            values, done = self.functionals(FLOW, *arguments)
            self.assertIn("nothing determines the constant of p", done.stderr)
            self.assertAlmostEqual(values["mean"], 0, 10)
            self.assertAlmostEqual(values["difference"], 0.5, 2)

    def test_a_weak_term_in_the_field_is_enough(self):
        exchange = replaced(NEUMANN, "f*test(u)\"", "f*test(u)\"\nfacets.x0 = \"0.1*u*test(u)\"")
        for precision in ("f64", "f32"):
            settings = ("--set", f"device.precision={precision}", "--set", "solver.tolerance=1e-3")
            self.assertNotIn("nothing determines", self.functionals(exchange, *settings)[1].stderr)


if __name__ == "__main__":
    unittest.main()
