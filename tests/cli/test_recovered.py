"""[recovered]: gradients made continuous in each region, which are nearer to the exact ones."""

import math
import unittest

from ranks_cli import HAS_MPI, RanksTest
from test_sides import FLUX, TWO_BARS
from weft_cli import WRONG_INPUT, CommandLineTest, replaced

# u = sin(pi x) sin(pi y), whose gradient P1 has constant in each cell.
SMOOTH = """\
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [8, 8], cell = "triangle" }

[fields]
u = { element = "P1" }

[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - 2*pi^2*sin(pi*x)*sin(pi*y)*test(u)"

[dirichlet]
boundary = { u = 0 }

[definitions]
exact = "pi*[cos(pi*x)*sin(pi*y), sin(pi*x)*cos(pi*y)]"

[recovered]
g = "grad(u)"

[functionals]
raw = { integral = "norm(grad(u) - exact)^2" }
recovered = { integral = "norm(g - exact)^2" }
"""

BARS = (
    TWO_BARS
    + """\
of_left = { point = [0.5, 0.5], value = "q", cells = "left" }
of_right = { point = [0.5, 0.5], value = "q", cells = "right" }
largest = { maximum = "q[0]", cells = "right" }
[recovered]
q = "grad(u)"
[output]
fields = ["u", "q"]
lines = [{ name = "along", from = [0, 0.3], to = [1, 0.3], points = 4 }]
"""
)


class Recovered(CommandLineTest):
    def errors(self, cells, *arguments):
        self.run_case(SMOOTH, "--set", f"mesh.box.cells=[{cells},{cells}]", *arguments)
        values = self.results()["functionals"]
        return math.sqrt(values["raw"]), math.sqrt(values["recovered"])

    def test_it_converges_faster_than_the_gradient(self):
        for cell in ("triangle", "quadrilateral"):
            with self.subTest(cell=cell):
                coarse = self.errors(16, "--set", f'mesh.box.cell="{cell}"')
                fine = self.errors(32, "--set", f'mesh.box.cell="{cell}"')
                self.assertAlmostEqual(math.log2(coarse[0] / fine[0]), 1, 1)
                self.assertGreater(math.log2(coarse[1] / fine[1]), 1.4)
                self.assertLess(fine[1], 0.25 * fine[0])

    def test_what_the_element_holds_stays(self):
        text = SMOOTH.replace("P1", "P2").replace("2*pi^2*sin(pi*x)*sin(pi*y)", "(-4)")
        text = replaced(text, "boundary = { u = 0 }", 'boundary = { u = "x^2 + y^2" }')
        text = replaced(text, "pi*[cos(pi*x)*sin(pi*y), sin(pi*x)*cos(pi*y)]", "[2*x, 2*y]")
        self.run_case(text)
        self.assertLess(self.results()["functionals"]["recovered"], 1e-16)

    def test_sides_of_an_interface_stay_apart(self):
        self.run_case(BARS)
        values = self.results()["functionals"]
        self.assertAlmostEqual(values["of_left"][0], FLUX, 8)
        self.assertAlmostEqual(values["of_right"][0], FLUX / 10, 8)
        self.assertAlmostEqual(values["of_right"][1], 0, 8)
        self.assertAlmostEqual(values["largest"], FLUX / 10, 8)
        rows = (self.folder / "out" / "lines.csv").read_text().splitlines()
        self.assertAlmostEqual(float(rows[2].split(",")[5]), FLUX, 8)
        self.assertAlmostEqual(float(rows[3].split(",")[5]), FLUX / 10, 8)

    def test_fields_that_share_the_points_of_the_mesh(self):
        self.run_case(SMOOTH + '[output]\nfields = ["u", "g"]\n')
        head = (self.folder / "out" / "fields.vtu").read_bytes()[:2000]
        self.assertIn(b'NumberOfPoints="81"', head)
        self.assertIn(b'Name="g"', head)

    def test_what_is_refused(self):
        wrong = replaced(SMOOTH, 'g = "grad(u)"', 'g = "grad(v)"')
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), "case.toml", "v")
        wrong = replaced(SMOOTH, 'g = "grad(u)"', 'g = "outer(grad(u), grad(u))"')
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), "a recovered field that is a matrix")
        wrong = SMOOTH.replace("P1", "DG1")
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), "[recovered] fields of discontinuous")
        wrong = replaced(SMOOTH, "raw = {", 'sum = { integral = "g[0]", error = true }\nraw = {')
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), "a case with [recovered]")


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class RecoveredOnRanks(RanksTest):
    def test_three_processes_recover_the_same(self):
        for name, text in (("smooth", SMOOTH), ("bars", BARS)):
            self.write("case.toml", text)
            self.weft("run", "case.toml", "--out", "one")
            self.weft_on(3, "run", "case.toml", "--out", "three")
            one, three = self.results("one")["functionals"], self.results("three")["functionals"]
            for key, value in one.items():
                for a, b in zip(*[v if isinstance(v, list) else [v] for v in (value, three[key])], strict=True):
                    self.assertAlmostEqual(a, b, 8, f"{name}: {key}")


if __name__ == "__main__":
    unittest.main()
