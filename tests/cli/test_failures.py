"""The numbers fail (exit code 1), or the machine does (exit code 3)."""

import unittest

from weft_cli import CASE, NUMBERS_FAILED, SYSTEM_FAILED, CommandLineTest, replaced

GEOMETRY = """\
Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {0, 1, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 1};
Curve Loop(1) = {1, 2, 3};
Plane Surface(1) = {1};
"""


class NumbersFail(CommandLineTest):
    def test_not_converged_keeps_the_history(self):
        done = self.run_case(CASE, "--set", "solver.max_iterations=1", expect=NUMBERS_FAILED)
        self.assert_error(done, "converge")
        solver = self.results()["solver"]
        self.assertFalse(solver["converged"])
        self.assertGreaterEqual(len(solver["history"]), 1)

    def test_not_a_number(self):
        text = replaced(CASE, "f = 1.0", 'f = "sqrt(x - 2)"')
        done = self.run_case(text, expect=NUMBERS_FAILED)
        self.assert_error(done, "NaN", "the residual of u is nan in the cell at (", "of region box")

    def test_indefinite_matrix_in_cg(self):
        text = replaced(CASE, "- f*test(u)", "- 300*u*test(u) - f*test(u)")
        text = replaced(text, "tolerance = 1e-10", 'tolerance = 1e-10\nmethod = "cg"')
        self.assert_error(self.run_case(text, expect=NUMBERS_FAILED), "positive definite")

    def test_below_expectation_shows_the_line(self):
        self.write("expect.toml", 'source = "none"\n[functionals]\nmean = { value = 9.0, relative = 0.01 }\n')
        done = self.run_case(CASE, "--expect", expect=NUMBERS_FAILED)
        self.assertIn("mean", done.stdout + done.stderr)
        self.assertIn("9", done.stdout + done.stderr)

    def test_order_below_expectation(self):
        text = CASE + '\n[exact]\nu = "sin(x)"\n\n[verify]\nrefine = 3\nexpect = { u = 2.0 }\n'
        self.write("case.toml", text)
        self.weft("verify", "case.toml", expect=NUMBERS_FAILED)


class SystemFails(CommandLineTest):
    def test_no_such_device_lists_those_there_are(self):
        done = self.run_case(CASE, "--device", "abacus", expect=SYSTEM_FAILED)
        self.assert_error(done, "abacus", "opencl:0")

    def test_output_not_writable(self):
        self.write("case.toml", CASE)
        self.write("file", "")
        done = self.weft("run", "case.toml", "--out", "file/out", expect=SYSTEM_FAILED)
        self.assert_error(done, "file/out")

    def test_gmsh_not_installed(self):
        self.write("corner.geo", GEOMETRY)
        text = replaced(
            CASE,
            'box = { origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle" }',
            'file = "corner.geo"',
        )
        env = {"PATH": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache")}
        done = self.run_case(text, expect=SYSTEM_FAILED, env=env)
        self.assert_error(done, "gmsh is not installed", "apt-get install gmsh")


if __name__ == "__main__":
    unittest.main()
