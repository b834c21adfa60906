"""[output] lines: what is written as fields, along straight lines."""

import csv
import unittest

from ranks_cli import HAS_MPI, RanksTest
from test_sides import FLUX, TWO_BARS
from weft_cli import WRONG_INPUT, CommandLineTest, replaced

LINES = """\
[output]
fields = ["u", "grad(u)"]
lines = [
  { name = "along", from = [0, 0.3], to = [1, 0.3], points = 6 },
  { name = "left side", from = [0.5, -0.5], to = [0.5, 1], points = 4, cells = "left" },
]
"""
CASE = TWO_BARS + LINES


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class Lines(CommandLineTest):
    def test_values_and_gradients(self):
        self.run_case(CASE)
        rows = rows_of(self.folder / "out" / "lines.csv")
        self.assertEqual(list(rows[0]), ["line", "distance", "x", "y", "u", "grad(u)_0", "grad(u)_1", "converged"])
        along = [row for row in rows if row["line"] == "along"]
        self.assertEqual(len(along), 6)
        for i, row in enumerate(along):
            x = 0.2 * i
            self.assertAlmostEqual(float(row["distance"]), x, 12)
            self.assertAlmostEqual(float(row["y"]), 0.3, 12)
            self.assertAlmostEqual(float(row["u"]), x * FLUX if x < 0.5 else 1 - (1 - x) * FLUX / 10, 9)
            self.assertAlmostEqual(float(row["grad(u)_0"]), FLUX if x < 0.5 else FLUX / 10, 9)
            self.assertEqual(row["converged"], "1")
        # On the interface, and half a unit of it before the mesh begins.
        side = [row for row in rows if row["line"] == "left side"]
        self.assertEqual([float(row["distance"]) for row in side], [0.5, 1.0, 1.5])
        for row in side:
            self.assertAlmostEqual(float(row["grad(u)_0"]), FLUX, 9)
        self.weft("run", "case.toml", "--out", "out")
        self.assertTrue((self.folder / "out" / "previous" / "lines.csv").exists())

    def test_in_time(self):
        text = replaced(TWO_BARS, "k*inner(", "dt(u)*test(u) + k*inner(").split("[functionals]")[0] + LINES
        text = replaced(text, "lines = [", "every = 0.1\nlines = [") + "[time]\nend = 0.2\nstep = 0.05\n"
        self.run_case(text)
        rows = rows_of(self.folder / "out" / "lines.csv")
        self.assertEqual(sorted({float(row["time"]) for row in rows}), [0, 0.1, 0.2])
        self.assertEqual(len(rows), 3 * 9)

    def test_lines_that_are_none(self):
        def refused(old, new, *parts):
            self.assert_error(self.run_case(replaced(CASE, old, new), expect=WRONG_INPUT), "case.toml", *parts)

        refused("to = [1, 0.3]", "to = [1, 0.3, 0]", "lines[0]", "3 coordinates")
        refused("points = 6", "points = 1", ">= 2")
        refused('name = "along", ', "", "a line needs a name")
        refused("left side", "along", "two lines of one name")
        refused("from = [0, 0.3], to = [1, 0.3]", "from = [0, 3], to = [1, 3]", "without a point in the mesh")
        refused('cells = "left" },\n]', 'cells = "middle" },\n]', "middle", "left, right")


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class LinesOnRanks(RanksTest):
    def test_three_processes_write_the_same_rows(self):
        self.write("case.toml", CASE)
        self.weft("run", "case.toml", "--out", "one")
        self.weft_on(3, "run", "case.toml", "--out", "three")
        one, three = rows_of(self.folder / "one" / "lines.csv"), rows_of(self.folder / "three" / "lines.csv")
        self.assertEqual(len(one), len(three))
        for a, b in zip(one, three, strict=True):
            self.assertEqual(a["line"], b["line"])
            for name in ("distance", "u", "grad(u)_0", "grad(u)_1"):
                self.assertAlmostEqual(float(a[name]), float(b[name]), 8)


if __name__ == "__main__":
    unittest.main()
