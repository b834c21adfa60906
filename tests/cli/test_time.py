"""Transient cases: what is written over time, steps that fail, orders in time, wrong input."""

import csv
import json
import unittest
import xml.etree.ElementTree as ElementTree

from weft_cli import CASE, NUMBERS_FAILED, WRONG_INPUT, CommandLineTest, replaced

# Quadratic in place, so that P2 has no error of space: u = (1 + x + y^2) sin(3 t).
HEAT = """\
[mesh]
box = { cells = [2, 2], cell = "triangle" }

[parameters]
w = "1 + x + y^2"

[fields]
u = { element = "P2" }

[weak_form]
cells.all = "dt(u)*test(u) + inner(grad(u), grad(test(u))) - (3*w*cos(3*t) - 2*sin(3*t))*test(u)"

[dirichlet]
boundary = { u = "w*sin(3*t)" }

[time]
scheme = "bdf2"
end = 1.0
step = 0.05

[exact]
u = "w*sin(3*t)"

[functionals]
mean = { average = "u" }
at_point = { point = [0.5, 0.5], value = "[u, t]" }

[output]
every = 0.25
times = [0.3]
probes = [[0.5, 0.5], [1, 0]]

[verify]
expect_time = { u = 2.0 }
"""


class Transient(CommandLineTest):
    def rows(self, name):
        with open(self.folder / "out" / name, newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def times_of_fields(self):
        root = ElementTree.parse(self.folder / "out" / "fields.pvd").getroot()
        sets = list(root.iter("DataSet"))
        for data in sets:
            self.assertTrue((self.folder / "out" / data.get("file")).exists())
        return [float(data.get("timestep")) for data in sets]

    def test_writes_over_time(self):
        self.run_case(HEAT)
        self.assertEqual(self.times_of_fields(), [0, 0.25, 0.3, 0.5, 0.75, 1])
        results = self.results()
        self.assertEqual(results["time"]["end"], 1)
        self.assertEqual(results["time"]["steps"], 5 + 1 + 4 + 5 + 5)
        self.assertLess(results["errors"]["u"]["L2"], 3e-3)
        self.assertLess(results["solver"]["residual"], 1e-10)  # relative to what the tolerance is
        functionals = self.rows("functionals.csv")
        self.assertEqual(len(functionals), 1 + results["time"]["steps"])
        self.assertEqual(functionals[-1]["mean"], results["functionals"]["mean"])
        for row in functionals:  # expressions follow the time
            self.assertAlmostEqual(row["at_point_1"], row["time"], delta=1e-15)
        probes = self.rows("probes.csv")
        self.assertEqual(len(probes), 2 * len(functionals))
        self.assertEqual([probes[-1][key] for key in ("time", "x", "y")], [1, 1, 0])
        self.assertAlmostEqual(probes[-2]["u"], functionals[-1]["at_point_0"], delta=1e-14)

    def test_assembled_as_matrix_free(self):
        self.run_case(HEAT)
        matrix_free = self.results()["functionals"]["mean"]
        self.run_case(HEAT + '[solver]\noperator = "assembled"\n')
        self.assertAlmostEqual(self.results()["functionals"]["mean"], matrix_free, delta=1e-9)

    def test_backward_diffusion_is_refused(self):
        done = self.run_case(replaced(HEAT, "+ inner(grad(u)", "- inner(grad(u)"), expect=WRONG_INPUT)
        self.assert_error(done, "case.toml:11: [weak_form] cells.all", "runs backwards", "sign of one of the terms")

    def test_a_step_that_fails_leaves_the_last_good_state(self):
        # The source is no number after t = 0.5.
        text = replaced(HEAT, "- (3*w", "- sqrt(0.52 - t)*test(u) - (3*w")
        done = self.run_case(text, expect=NUMBERS_FAILED)
        self.assert_error(done, "the step from time 0.5 failed")
        self.assertEqual(self.times_of_fields(), [0, 0.25, 0.3, 0.5])
        results = self.results()
        self.assertFalse(results["solver"]["converged"])
        self.assertEqual(results["time"]["end"], 0.5)
        self.assertEqual(self.rows("functionals.csv")[-1]["mean"], results["functionals"]["mean"])

    def test_adaptive_steps(self):
        self.run_case(replaced(HEAT, "step = 0.05", "step = 0.05\nadaptive = { tolerance = 1e-4 }"))
        self.assertLess(self.results()["errors"]["u"]["L2"], 1e-3)
        self.assertEqual(self.times_of_fields(), [0, 0.25, 0.3, 0.5, 0.75, 1])

    def test_order_in_time(self):
        self.write("case.toml", HEAT)
        self.weft("verify", "case.toml", "--json", "orders.json")
        levels = json.loads((self.folder / "orders.json").read_text())["time_levels"]
        self.assertEqual([level["step"] for level in levels], [0.05, 0.025, 0.0125])
        self.assertGreater(levels[2]["orders"]["u"], 1.8)

    def test_order_in_time_below_expectation(self):
        self.write("case.toml", replaced(HEAT, '"bdf2"', '"theta"\ntheta = 1'))
        done = self.weft("verify", "case.toml", expect=NUMBERS_FAILED)
        self.assert_error(done, "order of u in time is too low")


class WrongInput(CommandLineTest):
    def test_time_derivative_without_time(self):
        text = replaced(CASE, "- f*test(u)", "- f*test(u) + dt(u)*test(u)")
        self.assert_error(self.run_case(text, expect=WRONG_INPUT), "dt()", "add [time]")

    def test_output_outside_of_the_time(self):
        done = self.run_case(replaced(HEAT, "times = [0.3]", "times = [1.3]"), expect=WRONG_INPUT)
        self.assert_error(done, "1.3", "0 to 1")

    def test_order_in_time_of_adaptive_steps(self):
        text = replaced(HEAT, "step = 0.05", "step = 0.05\nadaptive = { tolerance = 1e-4 }")
        self.write("case.toml", text)
        self.assert_error(self.weft("verify", "case.toml", expect=WRONG_INPUT), "adaptive")


if __name__ == "__main__":
    unittest.main()
