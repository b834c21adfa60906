"""Fields with inequality bounds: obstacles, steps in time, checkpoints, several processes, errors."""

import unittest

from ranks_cli import HAS_MPI, SystemsTest
from weft_cli import WRONG_INPUT, CommandLineTest, extended, replaced

# A string over a parabola: u = 1/4 - x^2 touches it up to x = a = 1 - sqrt(3)/2, then it is straight to u(1) = 0.
STRING = """
[mesh]
box = { origin = [-1, 0], size = [2, 0.1], cells = [100, 1], cell = "quadrilateral" }
[parameters]
a = "1 - sqrt(3)/2"
[fields]
u = { element = "P1", bounds = ["0.25 - x^2", inf] }
[weak_form]
cells.all = "dot(grad(u), grad(test(u)))"
[dirichlet]
x0 = { u = 0 }
x1 = { u = 0 }
[exact]
u = "where(abs(x) < a, 0.25 - x^2, 2*a*(1 - abs(x)))"
[functionals]
force = { reaction = "u", facets = ["x0", "x1"] }
"""
# A plate that is heated and held at 1, where it would be hotter.
HEATED = """
[mesh]
box = { size = [1, 1], cells = [8, 8], cell = "triangle" }
[fields]
T = { element = "P1", bounds = [-inf, 1] }
[weak_form]
cells.all = "dt(T)*test(T) + 0.1*dot(grad(T), grad(test(T))) - 4*x*test(T)"
[dirichlet]
x0 = { T = 0 }
[time]
scheme = "bdf2"
end = 1.0
step = 0.1
[output]
every = 0.5
checkpoint_every = 0.5
[functionals]
mean = { average = "T" }
largest = { maximum = "T" }
"""
# Not linear: a surface of given mean curvature over an obstacle and below a lid, P2.
SURFACE = """
[mesh]
box = { origin = [-1, -1], size = [2, 2], cells = [9, 8], cell = "triangle" }
[fields]
u = { element = "P2", bounds = ["0.4 - 4*(x + 0.5)^2 - y^2", "0.25 + 2*(x - 0.5)^2"] }
[weak_form]
cells.all = "dot(grad(u), grad(test(u)))/sqrt(1 + dot(grad(u), grad(u))) - 1.2*test(u)"
[dirichlet]
all = { u = 0 }
[functionals]
area = { integral = "sqrt(1 + dot(grad(u), grad(u)))" }
mean = { average = "u" }
"""


class Bounds(CommandLineTest):
    def test_every_solver_finds_where_a_string_lies(self):
        for arguments in (
            (),
            ("--set", "solver.operator=assembled", "--set", "device.matrix=csr"),
            ("--set", "solver.operator=matrix_free", "--set", "solver.preconditioner=chebyshev"),
            ("--set", "solver.method=direct"),
            ("--set", "solver.preconditioner=multigrid"),
            ("--set", "device.strategy=cell"),
            ("--set", "device.strategy=transposed"),
        ):
            with self.subTest(arguments):
                done = self.run_case(STRING, *arguments)
                results = self.results()
                # Exact at the nodes but for where it leaves the obstacle, which is in a cell.
                self.assertLess(results["errors"]["u"]["L2"], 1e-3)
                self.assertAlmostEqual(results["functionals"]["force"], -0.1 * 4 * (1 - 3**0.5 / 2), 3)
                # |x| <= a = 0.134: 13 nodes on either row, and those in a cell beyond.
                self.assertIn(results["at_bounds"]["u"]["lower"], range(2 * 12, 2 * 15 + 1))
                self.assertEqual(results["at_bounds"]["u"]["upper"], 0)
                self.assertIn("dofs at the lower bound, 0 at the upper one", done.stdout)

    def test_a_form_that_is_not_linear(self):
        reached = []
        for arguments in ((), ("--set", "solver.operator=matrix_free"), ("--set", "solver.method=direct")):
            self.run_case(SURFACE, *arguments)
            results = self.results()
            self.assertGreater(results["at_bounds"]["u"]["lower"], 0)
            self.assertGreater(results["at_bounds"]["u"]["upper"], 0)
            reached.append(results["functionals"]["mean"])
        self.assertAlmostEqual(reached[1], reached[0], 8)
        self.assertAlmostEqual(reached[2], reached[0], 8)

    def test_steps_in_time_and_a_checkpoint(self):
        for scheme in ('"bdf2"', '"theta"\ntheta = 1.0'):
            text = replaced(HEATED, '"bdf2"', scheme)
            self.run_case(text)
            whole = self.results()
            self.assertEqual(whole["functionals"]["largest"], 1)
            self.assertGreater(whole["at_bounds"]["T"]["upper"], 0)
            self.run_case(replaced(text, "end = 1.0", "end = 0.5"))
            self.weft("run", "case.toml", "--out", "on", "--restart", "out/checkpoint.h5", "--set", "time.end=1.0",
                      "--force")  # fmt: skip
            self.assertEqual(self.results("on")["functionals"], whole["functionals"])

    def test_a_bound_that_moves(self):
        # Nothing moves u but the bound, which lifts it; where it goes down again u stays.
        moving = replaced(replaced(HEATED, "bounds = [-inf, 1]", 'bounds = ["(1 + x)*min(t, 1 - t)", inf]'),
                          "0.1*dot(grad(T), grad(test(T))) - 4*x*test(T)", "1e-12*T*test(T)")  # fmt: skip
        moving = replaced(replaced(moving, "[dirichlet]\nx0 = { T = 0 }\n", ""), '"bdf2"', '"theta"\ntheta = 1.0')
        self.run_case(moving + 'first = { point = [0, 0], value = "T" }\n')
        found = self.results()["functionals"]
        self.assertAlmostEqual(found["largest"], 1, 9)
        self.assertAlmostEqual(found["first"], 0.5, 9)
        self.assertEqual(self.results()["at_bounds"]["T"], {"lower": 0, "upper": 0})

    def test_single_precision(self):
        self.run_case(STRING, "--set", "device.precision=f32", "--set", "solver.newton.tolerance=1e-4",
                      "--set", "solver.tolerance=1e-5")  # fmt: skip
        results = self.results()
        self.assertLess(results["errors"]["u"]["L2"], 2e-3)
        self.assertIn(results["at_bounds"]["u"]["lower"], range(2 * 12, 2 * 15 + 1))

    def test_what_is_refused(self):
        bounds = 'bounds = ["0.25 - x^2", inf]'
        for value, message in (
            ("bounds = [1, 0]", "bounds between which there is nothing"),
            ("bounds = [1]", "a lower and an upper one"),
            ("bounds = [inf, 1]", "must be finite"),
            ("bounds = [[0, 1], 2]", "another number of components"),
            ('bounds = ["u", 2]', "u"),
            ("bounds = 3", "wrong type"),
        ):
            with self.subTest(value):
                done = self.run_case(replaced(STRING, bounds, value), expect=WRONG_INPUT)
                self.assert_error(done, message, "case.toml:7")
        for arguments, message in (
            (("--set", "solver.preconditioner={kind=\"multigrid\", coarsening=\"nested\"}"), "coarser discretisations"),
        ):  # fmt: skip
            done = self.run_case(STRING, *arguments, expect=WRONG_INPUT)
            self.assert_error(done, message)
        done = self.run_case(replaced(HEATED, '"bdf2"', '"theta"'), expect=WRONG_INPUT)
        self.assert_error(done, "theta = 0.5", "bdf2")
        done = self.run_case(replaced(HEATED, '"bdf2"', '"dirk3"'), expect=WRONG_INPUT)
        self.assert_error(done, 'scheme = "dirk3"', "bdf2")
        moved = replaced(replaced(HEATED, 'scheme = "bdf2"', ""), "dt(T)*test(T)", "dt(dt(T))*test(T)")
        self.assert_error(self.run_case(moved, expect=WRONG_INPUT), 'scheme = "generalised_alpha"', "bdf2")
        floating = replaced(replaced(STRING, "x0 = { u = 0 }\n", ""), "x1 = { u = 0 }\n", "")
        floating = replaced(floating, 'force = { reaction = "u", facets = ["x0", "x1"] }\n', "")
        done = self.run_case(floating, expect=WRONG_INPUT)
        self.assert_error(done, "determine but for a constant")
        gradient = replaced(STRING, '"x1"] }', '"x1"], gradient = "a" }')
        done = self.run_case(gradient, expect=WRONG_INPUT)
        self.assert_error(done, "a field with bounds")


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class BoundsOnRanks(SystemsTest):
    @extended
    def test_results_are_those_of_one_process(self):
        for name, text in (("surface", SURFACE), ("heated", HEATED)):
            for operator in ("assembled", "matrix_free"):
                with self.subTest(name, operator=operator):
                    self.write(f"{name}.toml", text)
                    more = ("--set", f"solver.operator={operator}", "-q")
                    self.weft("run", f"{name}.toml", "--out", "serial", *more)
                    self.weft_on(3, "run", f"{name}.toml", "--out", "shared", *more)
                    self.assert_near("serial", "shared")
                    self.assertEqual(self.results("shared")["at_bounds"], self.results("serial")["at_bounds"])


if __name__ == "__main__":
    unittest.main()
