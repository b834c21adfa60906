"""`weft verify` in space: on a mesh from a file, and on combinations of cells and elements."""

import json
import unittest

from weft_cli import CASE as SMALL_CASE
from weft_cli import MESH, MESH_CASE, NUMBERS_FAILED, WRONG_INPUT, CommandLineTest, line_of, replaced

CASE = replaced(MESH_CASE, "f = 1.0", 'f = "pi^2/4*sin(pi*x/2)"').replace(
    'file = "square.msh"', 'file = "square.msh"\nrefine = 2'
)
EXACT = '\n[exact]\nu = "sin(pi*x/2)"\n\n[verify]\nrefine = 3\nexpect = { u = 2.0 }\n'

# On cubes and, by the same text, on squares.
COMBINATIONS = replaced(
    replaced(SMALL_CASE, "f = 1.0", 'f = "-4 + 0*z"'),
    'box = { origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle" }',
    'box = { cells = [2, 2, 2], cell = "hexahedron" }',
).replace("boundary = { u = 0 }", "\n".join(f'{side} = {{ u = "x^2 + y^2" }}' for side in "x0 x1 y0 y1".split())) + """
[exact]
u = "x^2 + y^2"

[verify]
refine = 2
expect = { u = "optimal" }
boxes = [
  { cell = ["triangle", "quadrilateral"], cells = [4, 4], element = "P1" },
  { cell = "prism", cells = [2, 2, 2], element = "P1" },
]
"""
EXPECTED = """\
source = "2 h^2, four times the error of interpolation"
[verify]
triangle.P1."u.L2".below = 0.125
quadrilateral.P1."u.L2".below = 0.125
prism.P1."u.L2".below = 0.5
"""


class Verify(CommandLineTest):
    def test_mesh_of_a_file(self):
        self.write("square.msh", MESH)
        self.write("case.toml", CASE + EXACT)
        self.weft("verify", "case.toml", "--json", "verify.json")
        levels = json.loads((self.folder / "verify.json").read_text())["levels"]
        self.assertEqual([level["cells"] for level in levels], [32, 128, 512])
        for level in levels[1:]:
            self.assertAlmostEqual(level["orders"]["u"]["L2"], 2, delta=0.1)

    def test_what_could_not_be_compared_is_refused(self):
        self.write("square.msh", MESH)
        self.write("case.toml", CASE + "\n[verify]\nexpect = { u = 2.0 }\nexpect_time = { u = 2.0 }\n")
        done = self.weft("verify", "case.toml", expect=WRONG_INPUT)
        self.assert_error(done, "without exact solution", "found:   u")
        self.write("case.toml", CASE + replaced(EXACT, "sin(pi*x/2)", "sin(pi*x/2) + sqrt(y - 0.5)"))
        done = self.weft("verify", "case.toml", expect=NUMBERS_FAILED)
        self.assert_error(done, "level 0", "the error of u is not finite in the cell at (")

    def test_combinations(self):
        self.write("case.toml", COMBINATIONS)
        self.write("expect.toml", EXPECTED)
        done = self.weft("verify", "case.toml", "--expect", "--json", "verify.json")
        names = ["triangle P1", "quadrilateral P1", "prism P1"]
        headings = [line for line in done.stdout.splitlines() if line in names]
        self.assertEqual(headings, names)
        summary = done.stdout[done.stdout.index("expected\n") :].splitlines()
        self.assertEqual([line.split()[:3] for line in summary[1:4]], [[*name.split(), "u"] for name in names])
        for line in summary[1:4]:
            self.assertAlmostEqual(float(line.split()[4]), 2, delta=0.2)
            self.assertEqual(line.split()[5], "2")
        self.assertIn("3 of 3 combinations reach what is expected", summary[4])
        self.assertIn("all 3 expected values reached (2 h^2", done.stdout + done.stderr)
        found = json.loads((self.folder / "verify.json").read_text())["combinations"]
        self.assertEqual([f"{one['cell']} {one['element']}" for one in found], names)
        cells = [[level["cells"] for level in one["levels"]] for one in found]
        self.assertEqual(cells, [[32, 128], [16, 64], [16, 128]])

    def test_one_of_the_combinations(self):
        self.write("case.toml", COMBINATIONS)
        done = self.weft("verify", "case.toml", "--cell", "prism")
        self.assertIn("1 of 1 combinations", done.stdout)
        done = self.weft("verify", "case.toml", "--cell", "prism", "--element", "P2", expect=WRONG_INPUT)
        self.assert_error(done, "case.toml: [verify] boxes", "--cell prism --element P2",
                          "triangle P1, quadrilateral P1, prism P1")
        self.write("one.toml", COMBINATIONS[: COMBINATIONS.index("boxes = ")])
        done = self.weft("verify", "one.toml", "--element", "P1", expect=WRONG_INPUT)
        self.assert_error(done, "--element P1", "the case has no boxes")

    def test_combination_that_does_not_exist(self):
        text = COMBINATIONS + '\n'
        text = replaced(text, 'cells = [2, 2, 2], element = "P1"', 'cells = [2, 2, 2], element = ["P1", "P7"]')
        self.write("case.toml", text)
        done = self.weft("verify", "case.toml", "--cell", "triangle", expect=WRONG_INPUT)
        line = line_of(text, '"P7"')
        self.assert_error(done, f"case.toml:{line}: [verify] boxes[1].element[1]", "prism P7", "0 to 6 on a prism",
                          "choose a lower order")

    def test_combinations_that_fail(self):
        self.write("case.toml", replaced(COMBINATIONS, 'u = "optimal"', "u = 3"))
        self.write("expect.toml", EXPECTED)
        done = self.weft("verify", "case.toml", "--json", "verify.json", expect=NUMBERS_FAILED)
        self.assert_error(done, "3 of 3 combinations", "prism P1: the observed order of u in L2 is too low (found 2.0")
        self.assertEqual(done.stdout.count("  failed\n"), 3)
        found = json.loads((self.folder / "verify.json").read_text())["combinations"]
        self.assertIn("too low", found[2]["failed"])
        self.write("case.toml", COMBINATIONS)
        self.write("expect.toml", EXPECTED.replace("below = 0.5", "below = 1e-9"))
        done = self.weft("verify", "case.toml", "--expect", expect=NUMBERS_FAILED)
        self.assert_error(done, "1 of 3 combinations", "prism P1: values differ", "errors.u.L2: found")

    def test_expected_errors_without_a_combination(self):
        self.write("case.toml", COMBINATIONS)
        done = self.weft("verify", "case.toml", "--expect", expect=WRONG_INPUT)
        self.assert_error(done, "expect.toml", "nothing of triangle P1")
        self.write("expect.toml", EXPECTED.replace("prism", "wedge"))
        done = self.weft("verify", "case.toml", "--expect", expect=WRONG_INPUT)
        self.assert_error(done, "expect.toml: [verify]", "wedge P1", "triangle P1, quadrilateral P1, prism P1")
        self.write("expect.toml", EXPECTED.replace('prism.P1."u.L2"', 'prism.P1."u.H2"'))
        done = self.weft("verify", "case.toml", "--expect", expect=WRONG_INPUT)
        self.assert_error(done, "errors.u.H2", "errors.u.L2, errors.u.H1")

    def test_expected_errors_of_the_case_itself(self):
        self.write("square.msh", MESH)
        self.write("case.toml", CASE + EXACT)
        self.write("expect.toml", 'source = "none"\n[errors]\n"u.L2" = { below = 1.0 }\n')
        self.weft("verify", "case.toml", "--expect")
        self.write("expect.toml", 'source = "none"\n[errors]\n"u.L2" = { below = 1e-9 }\n')
        done = self.weft("verify", "case.toml", "--expect", expect=NUMBERS_FAILED)
        self.assert_error(done, "errors.u.L2: found")


if __name__ == "__main__":
    unittest.main()
