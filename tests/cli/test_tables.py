"""Parameters that a file tabulates: of the solution, of time, by group, and beyond their rows."""

import json
import math
import unittest

from weft_cli import NUMBERS_FAILED, WRONG_INPUT, CommandLineTest, extended, replaced

# Heat through a wall whose conductivity is 1 + T/50 between 0 and 100 degrees: with
# K(T) = T + T^2/100 the flux is K(100) - K(0) = 200, and K is linear in x.
WALL = """\
[mesh]
box = { size = [1, 0.25], cells = [64, 2], cell = "quadrilateral" }

[parameters]
k = { table = "k.csv", of = "T" }
T_right = 100.0

[fields]
T = { element = "P1" }

[weak_form]
cells.all = "k*inner(grad(T), grad(test(T)))"

[dirichlet]
x0 = { T = 0 }
x1 = { T = "T_right" }

[functionals]
middle = { point = [0.5, 0.125], value = "T" }
flux = { average = "k*grad(T)[0]" }
"""
ROWS = "T, k\n0, 1\n25, 1.5\n100, 3\n"


class Tables(CommandLineTest):
    def results(self, folder="out"):
        return json.loads((self.folder / folder / "results.json").read_text())

    def run_case(self, text, rows=ROWS, *options, expect=0):
        self.write("case.toml", text)
        self.write("k.csv", rows)
        return self.weft("run", "case.toml", *options, expect=expect)

    @extended
    def test_a_conductivity_of_temperature(self):
        exact = 50 * (-1 + math.sqrt(1 + 4 * 100 / 100))  # T + T^2/100 = 100
        for operator in ("matrix_free", "assembled"):
            self.run_case(WALL + f'[solver]\noperator = "{operator}"\n')
            found = self.results()["functionals"]
            self.assertAlmostEqual(found["middle"], exact, delta=0.02)
            self.assertAlmostEqual(found["flux"], 200, delta=0.02)
        # Newton's method has the table's slope.
        self.run_case(WALL + "[solver]\nnewton.check_jacobian = true\n")
        # The cubic of rows on a line is the line.
        self.run_case(replaced(WALL, 'of = "T"', 'of = "T", kind = "cubic"'))
        self.assertAlmostEqual(self.results()["functionals"]["flux"], 200, delta=0.02)

    def test_other_columns(self):
        self.run_case(replaced(WALL, 'of = "T"', 'of = "T", columns = ["T", "conductivity"]'),
                      "conductivity; density; T\n1; 9; 0\n3; 9; 100\n")  # fmt: skip
        self.assertAlmostEqual(self.results()["functionals"]["flux"], 200, delta=0.02)

    def test_beyond_the_rows(self):
        short = "0, 1\n50, 2\n"
        done = self.run_case(WALL, short, expect=NUMBERS_FAILED)
        for said in ("T goes to 100", "case.toml:5: [parameters] k", "(0 to 50)", "outside = "):
            self.assertIn(said, done.stderr + done.stdout)
        self.assertFalse(self.results()["solver"]["converged"])  # results are there all the same
        self.run_case(replaced(WALL, 'of = "T"', 'of = "T", outside = "linear"'), short)
        self.assertAlmostEqual(self.results()["functionals"]["flux"], 200, delta=0.02)
        self.run_case(replaced(WALL, 'of = "T"', 'of = "T", outside = "constant"'), short)
        self.assertAlmostEqual(self.results()["functionals"]["flux"], 75 + 100, delta=0.02)

    def test_by_group(self):
        """In a region, and on facets of which others have a number."""
        text = (replaced(WALL, 'k = { table = "k.csv", of = "T" }',
                         'k.box = { table = "k.csv", of = "T", outside = "linear" }\n'
                         'h.x1 = { table = "h.csv", of = "T" }\nh.x0 = 1.0')
                .replace('x1 = { T = "T_right" }\n', "")
                .replace("[dirichlet]", 'facets.x1 = "-h*(200 - T)*test(T)"\n[dirichlet]'))  # fmt: skip
        self.write("h.csv", "0, 4\n200, 0\n")
        self.run_case(text)
        # K(T) = (200 - T)^2/50 at x = 1 has T = 100.
        self.assertAlmostEqual(self.results()["functionals"]["flux"], 200, delta=0.1)

    @extended
    def test_on_curves_and_at_points(self):
        """Groups by place, with parameters of the solution there."""
        text = """\
[mesh]
box = { size = [1, 1, 1], cells = [4, 4, 4], cell = "hexahedron" }
groups.tip = { point = [1, 1, 1] }
groups.rail = { edges = "y < 1e-9 and z < 1e-9" }
[parameters]
q.tip = { table = "k.csv", of = "T" }
h.rail = { table = "k.csv", of = "T" }
[fields]
T = { element = "P1" }
[weak_form]
cells.all = "inner(grad(T), grad(test(T)))"
points.tip = "-q*test(T)"
edges.rail = "-h*test(T)"
[dirichlet]
x0 = { T = 0 }
[functionals]
Q_out = { reaction = "T", facets = "x0" }
T_tip = { point = "tip", value = "T" }
H = { integral = "1 + T/50", edges = "rail" }
"""
        self.run_case(text)
        found = self.results()["functionals"]
        self.assertAlmostEqual(found["Q_out"], -(found["H"] + 1 + found["T_tip"] / 50), delta=1e-8)
        done = self.run_case(text, "0, 1\n0.5, 1.01\n", expect=NUMBERS_FAILED)
        self.assertIn("[parameters] ", done.stderr + done.stdout)
        self.assertIn("(0 to 0.5)", done.stderr + done.stdout)

    def test_of_time(self):
        text = replaced(WALL, 'k = { table = "k.csv", of = "T" }',
                        'k = 1.0\nT_hot = { table = "k.csv", of = "t" }')  # fmt: skip
        text = replaced(text, '"T_right"', '"T_hot"').replace("k*inner", "1e-6*dt(T)*test(T) + k*inner")
        text += '[time]\nscheme = "theta"\ntheta = 1.0\nstep = 0.25\nend = END\n[output]\nevery = 0.5\n'
        rows = "0, 0\n1, 80\n2, 20\n"
        for end, hot in ((1.0, 80), (1.5, 50)):
            self.run_case(replaced(text, "END", str(end)), rows)
            self.assertAlmostEqual(self.results()["functionals"]["middle"], hot / 2, delta=1e-3)
        done = self.run_case(replaced(text, "END", "3.0"), rows, expect=NUMBERS_FAILED)
        self.assertIn("t goes to 2.5", done.stdout + done.stderr)
        self.assertAlmostEqual(self.results()["time"]["end"], 2.5)

    def test_a_restart_with_other_rows_is_told(self):
        text = replaced(WALL, "k*inner", "dt(T)*test(T) + k*inner")
        text += '[time]\nscheme = "theta"\ntheta = 1.0\nstep = 0.25\nend = 1.0\n[output]\ncheckpoint_every = 0.5\n'
        self.run_case(text)
        self.write("k.csv", "0, 1\n100, 4\n")
        done = self.weft("run", "case.toml", "--restart", "out/checkpoint.h5", "--out", "again", expect=WRONG_INPUT)
        self.assertIn("k", done.stderr)

    def test_wrong_input(self):
        for old, new, said in (
            ('"k.csv"', '"none.csv"', "none.csv"),
            ('of = "T"', 'of = "grad(T)"', "argument of a table"),
            (', of = "T"', "", "`of`"),
            ('of = "T"', 'of = "T", kind = "spline"', "linear, cubic"),
            ('of = "T"', 'of = "T", columns = ["T"]', "two columns"),
            ('of = "T"', 'of = "T2"', "T2"),
        ):
            with self.subTest(new=new):
                done = self.run_case(replaced(WALL, old, new), expect=WRONG_INPUT)
                self.assertIn(said, done.stderr)
                self.assertIn("case.toml:5", done.stderr)
        self.write("k.csv", ROWS)
        done = self.weft("sweep", "case.toml", "--over", "k=1,2", expect=WRONG_INPUT)
        self.run_case(WALL)
        done = self.weft("sweep", "case.toml", "--over", "k=1,2", expect=WRONG_INPUT)
        self.assertIn("a table", done.stderr)


if __name__ == "__main__":
    unittest.main()
