"""What a run looks at as it goes: conditions that end it, means and extrema over time."""

import csv
import unittest

from law_problems import advection
from weft_cli import WRONG_INPUT, CommandLineTest, replaced

# u = 2 t (1 - x): a temperature that rises.
RISING = """\
[mesh]
box = { cells = [3, 2], cell = "triangle" }

[fields]
u = { element = "P1" }

[weak_form]
cells.all = "(dt(u) - 2*(1 - x))*test(u)"

[time]
end = 1.0
step = 0.125

[solver]
tolerance = 1e-13

[functionals]
u_max = { maximum = "u" }
ends = { point = [0, 0], value = "[u, t]" }

[output]
every = 0.5
"""
OVER_TIME = (
    RISING
    + """
[over_time]
u_mean = { mean = "u" }
u_high = { maximum = "u*(0.75 - t)" }
u_low = { minimum = "x - u" }
"""
)
OVER_TIME = replaced(
    OVER_TIME,
    "[output]",
    'mean = { point = [0, 0], value = "[u_mean, u_high, u_low]" }\n\n[output]\nfields = ["u", "u_mean"]',
)


class OverTime(CommandLineTest):
    def rows(self, folder="out"):
        with open(self.folder / folder / "functionals.csv", newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def stopped(self, text, condition, *arguments):
        self.run_case(replaced(text, "[time]\n", f'[time]\nstop = "{condition}"\n'), *arguments)
        return self.results()

    def test_stops_where_a_functional_says(self):
        results = self.stopped(RISING, "u_max > 0.9")
        self.assertTrue(results["solver"]["converged"])
        self.assertEqual(results["time"]["stopped"], "u_max > 0.9")
        self.assertEqual(results["time"]["end"], 0.5)
        self.assertEqual(results["time"]["steps"], 4)
        self.assertEqual(self.rows()[-1]["time"], 0.5)
        self.assertTrue((self.folder / "out" / "fields_0001.vtu").exists())
        results = self.stopped(RISING, "ends[0] > 0.6 and t > 0.1")
        self.assertEqual(results["time"]["end"], 0.375)
        self.assertTrue((self.folder / "out" / "fields_0001.vtu").exists())

    def test_a_condition_that_never_holds(self):
        results = self.stopped(RISING, "u_max > 9")
        self.assertEqual(results["time"]["end"], 1)
        self.assertNotIn("stopped", results["time"])

    def test_stops_explicit_runs(self):
        text = replaced(advection("triangle", 2, 4), "cfl = 0.5", 'cfl = 0.5\nstop = "t > 0.02"')
        self.run_case(text)
        results = self.results()
        self.assertTrue(results["solver"]["converged"])
        self.assertEqual(results["time"]["stopped"], "t > 0.02")
        self.assertGreater(results["time"]["end"], 0.02)
        self.assertLess(results["time"]["end"], 0.2)

    def test_wrong_conditions(self):
        def refused(condition, *parts):
            text = replaced(RISING, "[time]\n", f'[time]\nstop = "{condition}"\n')
            self.assert_error(self.run_case(text, expect=WRONG_INPUT), *parts)

        refused("1 > 2", "a condition to stop on that nothing changes", "u_max, ends, t")
        refused("u_max > nowhere", "nowhere")
        refused("u_max", "the condition of where() is a scalar")
        refused("u_max > x", "depends on place")

    def test_values_over_time(self):
        self.run_case(OVER_TIME)
        for row in self.rows():
            t = row["time"]
            self.assertAlmostEqual(row["mean_0"], t, delta=1e-9)
            self.assertAlmostEqual(
                row["mean_1"], max(2 * s / 8 * (0.75 - s / 8) for s in range(int(8 * t) + 1)), delta=1e-9
            )
            self.assertAlmostEqual(row["mean_2"], -2 * t, delta=1e-9)

    def test_values_over_time_after_a_restart(self):
        self.write("case.toml", replaced(OVER_TIME, "every = 0.5", "every = 0.5\ncheckpoint_every = 0.25"))
        self.weft("run", "case.toml", "--out", "whole")
        self.weft("run", "case.toml", "--out", "parts", "--set", "time.end=0.5")
        self.weft("run", "case.toml", "--out", "parts", "--restart", "parts/checkpoint.h5")
        self.assertEqual(self.rows("whole"), self.rows("parts"))

    def test_values_over_time_of_a_law(self):
        text = advection("triangle", 2, 4) + '\n[over_time]\nmost = { maximum = "t" }\nq_mean = { mean = "q" }\n'
        self.run_case(text + '\n[functionals]\nlast = { maximum = "most" }\nq = { average = "q_mean" }\n')
        self.assertAlmostEqual(self.results()["functionals"]["last"], self.results()["time"]["end"], delta=1e-12)

    def test_wrong_values_over_time(self):
        def refused(text, *parts):
            self.assert_error(self.run_case(text, expect=WRONG_INPUT), *parts)

        refused(replaced(OVER_TIME, '{ mean = "u" }', '{ mean = "u", maximum = "u" }'), "one of three")
        refused(replaced(OVER_TIME, '{ mean = "u" }', '{ mean = "grad(u)" }'), "where a scalar is needed")
        refused(replaced(OVER_TIME, "u_mean = {", "u = {"), "u")


if __name__ == "__main__":
    unittest.main()
