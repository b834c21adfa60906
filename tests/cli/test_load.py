"""Load steps: they grow and are cut back, go on from checkpoints, and follow a path round its turns."""

import csv
import math
import unittest

from weft_cli import NUMBERS_FAILED, ROOT, WRONG_INPUT, CommandLineTest, replaced

# u^3 - 3 u + 2 = s at every point: s rises to 4 at u = -1, falls to 0 at u = 1, and rises again.
FOLD = """
[mesh]
box = { size = [1, 1], cells = [2, 2] }
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "0.01*inner(grad(u), grad(test(u))) + (u^3 - 3*u + 2 - s)*test(u)"
[initial]
u = -2
[load]
parameter = "s"
to = 6
[functionals]
u = { average = "u" }
"""

# A square that is pulled to three times its length.
PULL = """
physics = ["hyperelastic"]
[mesh]
box = { size = [1, 1], cells = [4, 4], cell = "quadrilateral" }
[fields]
u = { element = "P2", shape = "vector" }
[weak_form]
cells.all = "0*u[0]*test(u)[0]"
[parameters]
pull = 1.0
[dirichlet]
x0 = { "u[0]" = 0 }
y0 = { "u[1]" = 0 }
x1 = { "u[0]" = "pull" }
[load]
parameter = "pull"
to = 2
[functionals]
stretch = { average = "F[1, 1]" }
stress = { average = "P[0, 0]" }
"""


def pulled(stretch, mu=1 / 2.6, lam=0.3 / (1.3 * 0.4)):
    """Width and stress of a neo-Hookean strip in plane strain, free at its sides."""
    low, high = 0.05, 2.0
    for _ in range(200):
        width = 0.5 * (low + high)
        side = mu * (width - 1 / width) + lam * math.log(stretch * width) / width
        low, high = (width, high) if side < 0 else (low, width)
    return width, mu * (stretch - 1 / stretch) + lam * math.log(stretch * width) / stretch


class Load(CommandLineTest):
    def rows(self, folder="out"):
        with open(self.folder / folder / "functionals.csv", newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def test_steps_end_at_the_solution(self):
        text = replaced(PULL, '[weak_form]\ncells.all = "0*u[0]*test(u)[0]"\n', "")
        self.run_case(text)
        values = self.results()["functionals"]
        width, stress = pulled(3)
        self.assertAlmostEqual(values["stretch"], width, 8)
        self.assertAlmostEqual(values["stress"], stress, 8)
        rows = self.rows()
        self.assertEqual(rows[0]["pull"], 0)
        self.assertEqual(rows[-1]["pull"], 2)
        steps = [after["pull"] - before["pull"] for before, after in zip(rows, rows[1:])]
        self.assertAlmostEqual(steps[0], 0.2)
        self.assertGreater(max(steps), 0.3)  # they grow
        for row in rows[1:]:
            self.assertAlmostEqual(row["stress"], pulled(1 + row["pull"])[1], 7)
        self.assertEqual(len(list((self.folder / "out").glob("fields_*.vtu"))), len(rows))

    def test_a_run_goes_on_from_a_checkpoint(self):
        text = replaced(PULL, '[weak_form]\ncells.all = "0*u[0]*test(u)[0]"\n', "")
        text += "[output]\ncheckpoint_every = 0.5\n"
        self.run_case(text)
        whole = self.results()["functionals"]["stress"]
        self.weft("run", "case.toml", "--set", "load.to=1", "--out", "half")
        self.weft("run", "case.toml", "--restart", "half/checkpoint.h5", "--out", "half")
        self.assertAlmostEqual(self.rows("half")[-1]["stress"], whole, 9)
        self.assertEqual(len(self.rows("half")), len({row["pull"] for row in self.rows("half")}))

    def test_arc_length_goes_round_the_turns(self):
        self.run_case(replaced(FOLD, "to = 6", "to = 6\narc_length = true"))
        self.assertEqual(self.results()["time"]["end"], 6)
        rows = self.rows()
        for row in rows:
            self.assertAlmostEqual(row["u"] ** 3 - 3 * row["u"] + 2, row["s"], 6)
        turns = [row["s"] for row in rows]
        top = turns.index(max(turns[: len(turns) // 2]))
        self.assertGreater(turns[top], 3.5)
        self.assertLess(min(turns[top:]), 0.5)  # the way back down
        self.assertGreater(max(abs(row["u"]) for row in rows), 2)

    def test_a_limit_point_is_named(self):
        # Without another branch to fall to.
        limit = replaced(FOLD, "u^3 - 3*u + 2 - s", "s - 4 + (u + 1)^2")
        done = self.run_case(limit, expect=NUMBERS_FAILED)
        self.assertIn("limit point", done.stderr + done.stdout)
        self.assertIn("arc_length", done.stderr + done.stdout)
        self.assertAlmostEqual(self.results()["time"]["end"], 4, 2)
        self.assertAlmostEqual(self.results()["functionals"]["u"], -1, 1)

    def test_loads_that_are_none(self):
        for change, message in (
            (('parameter = "s"\n', ""), "[load] without `parameter`"),
            (("to = 6", "to = -1"), "not above its start"),
            (("[load]", "[time]\nend = 1\nstep = 1\n[load]"), "[load] beside [time]"),
            (("(u^3", "(dt(u) + u^3"), "dt()"),
        ):
            self.assert_error(self.run_case(replaced(FOLD, *change), expect=WRONG_INPUT), message)

    def test_the_arch_turns_where_theory_says(self):
        """Shallow arches (Fung and Kaplan 1952): one sine wave carries the load exactly."""
        self.weft("run", ROOT / "cases" / "arch" / "case.toml", "--out", "out")
        thick, rise, modulus, wave = 0.05, 0.3, 1e6, math.pi / 10
        inertia = thick**2 / 12
        crown = math.sqrt((rise**2 - 4 * inertia) / 3)
        limit = modulus * thick * wave**4 * (inertia * (rise - crown) + (rise**2 - crown**2) * crown / 4)
        rows = self.rows()
        loads = [row["q"] for row in rows]
        top = max(range(len(loads) // 2), key=loads.__getitem__)
        self.assertAlmostEqual(loads[top], limit, delta=0.03 * limit)
        self.assertAlmostEqual(rows[top]["crown"], crown, delta=0.2 * crown)
        self.assertLess(min(loads[top:]), -0.7 * limit)


if __name__ == "__main__":
    unittest.main()
