"""Schemes of weak forms in time: orders, second time derivatives, energy, steps without dt()."""

import csv
import json
import math
import unittest

from ranks_cli import HAS_MPI, RanksTest
from weft_cli import CASE, NUMBERS_FAILED, WRONG_INPUT, CommandLineTest, replaced

# Quadratic in place, so that P2 has no error of space: u = (1 + x + y^2) sin(3 t + 0.5).
HEAT = """\
[mesh]
box = { cells = [1, 1], cell = "triangle" }

[parameters]
w = "1 + x + y^2"
s = "w*sin(3*t + 0.5)"
c = "3*w*cos(3*t + 0.5)"

[fields]
u = { element = "P2" }

[weak_form]
cells.all = "dt(u)*test(u) + inner(grad(u), grad(test(u))) - (c - 2*sin(3*t + 0.5))*test(u)"

[dirichlet]
boundary = { u = "s" }

[initial]
u = "s"

[time]
scheme = "dirk3"
end = 1.0
step = 0.03125

[solver]
tolerance = 1e-12

[exact]
u = "s"

[verify]
expect_time = { u = 3.0 }

[functionals]
mean = { average = "u" }
"""

WAVE = replaced(
    replaced(replaced(HEAT, "dt(u)*test(u)", "dt(dt(u))*test(u)"), "(c - 2*sin", "(-9*s - 2*sin").replace(
        "u = 3.0", "u = 2.0"
    ),
    'scheme = "dirk3"\n',
    "",
)
WAVE = replaced(WAVE, '[initial]\nu = "s"', '[initial]\nu = "s"\n"dt(u)" = "c"')

# A string of two fixed ends that is let go.
STRING = """\
[mesh]
box = { cells = [8, 2], cell = "quadrilateral" }

[fields]
u = { element = "P2" }

[weak_form]
cells.all = "dt(dt(u))*test(u) + inner(grad(u), grad(test(u)))"

[dirichlet]
x0 = { u = 0 }
x1 = { u = 0 }

[initial]
u = "where(x < 0.3, x/0.3, (1 - x)/0.7)"

[time]
end = 0.5
step = 0.02
spectral_radius = 1.0

[solver]
tolerance = 1e-12

[functionals]
energy = { integral = "dt(u)^2/2 + dot(grad(u), grad(u))/2" }
balance = { integral = "dt(dt(u))*u + dt(u)^2" }
speed = { maximum = "abs(dt(u))" }
slope_rate = { point = [0.5, 0.5], value = "dt(grad(u))" }

[output]
fields = ["u", "dt(u)", "dt(grad(u))"]
every = 0.1
"""


class Schemes(RanksTest):
    def rows(self, folder="out"):
        with open(self.folder / folder / "functionals.csv", newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def test_orders(self):
        """Prescribed values that move do not cost the order; stiff modes let it come late."""
        for scheme, order in ("dirk2", 2), ("dirk3", 2.9), ("dirk4", 4), ("generalised_alpha", 2):
            with self.subTest(scheme=scheme):
                text = replaced(HEAT, '"dirk3"', f'"{scheme}"')
                self.write("case.toml", replaced(text, "u = 3.0", f"u = {order}"))
                self.weft("verify", "case.toml")

    def test_order_of_second_derivatives(self):
        self.write("case.toml", WAVE)
        self.weft("verify", "case.toml", "--json", "orders.json")
        levels = json.loads((self.folder / "orders.json").read_text())["time_levels"]
        self.assertGreater(levels[-1]["orders"]["u"], 1.9)

    def test_matrix_free_as_assembled(self):
        for text in HEAT, WAVE:
            means = []
            for operator in "assembled", "matrix_free":
                self.run_case(replaced(text, "[solver]", f'[solver]\noperator = "{operator}"'))
                means.append(self.results()["functionals"]["mean"])
            self.assertAlmostEqual(means[0], means[1], delta=1e-9)

    def test_energy(self):
        self.run_case(STRING)
        rows = self.rows()
        self.assertAlmostEqual(rows[0]["energy"], 0.5 * (1 / 0.3 + 1 / 0.7), delta=0.1)
        for row in rows:
            self.assertAlmostEqual(row["energy"], rows[0]["energy"], delta=1e-8)
        self.assertEqual(rows[0]["speed"], 0)
        self.assertGreater(rows[-1]["speed"], 1)
        self.run_case(replaced(STRING, "spectral_radius = 1.0", "spectral_radius = 0.0"))
        energies = [row["energy"] for row in self.rows()]
        self.assertLess(energies[-1], 0.97 * energies[0])

    def test_rates_in_results(self):
        """u = sin(pi x) cos(pi t): what functionals have of dt(), and what fields say."""
        text = replaced(STRING, "where(x < 0.3, x/0.3, (1 - x)/0.7)", "sin(pi*x)")
        self.run_case(replaced(text, "step = 0.02", "step = 0.005"))
        row = self.rows()[-1]
        self.assertAlmostEqual(row["speed"], math.pi, delta=3e-3)
        self.assertAlmostEqual(row["balance"], math.pi**2 / 2, delta=2e-2)
        self.assertAlmostEqual(row["slope_rate_0"], 0, delta=2e-2)
        self.assertEqual(list((self.folder / "out").glob("fields_0005.vtu")) != [], True)

    def test_a_restart_has_velocity_and_acceleration(self):
        self.write("case.toml", STRING.replace("every = 0.1", "every = 0.1\ncheckpoint_every = 0.1"))
        self.weft("run", "case.toml", "--out", "whole")
        self.weft("run", "case.toml", "--out", "parts", "--set", "time.end=0.2")
        self.weft("run", "case.toml", "--out", "parts", "--restart", "parts/checkpoint.h5")
        self.assertEqual(self.rows("whole"), self.rows("parts"))
        done = self.weft(
            "run", "case.toml", "--out", "other", "--restart", "parts/checkpoint.h5",
            "--set", "time.spectral_radius=0.5", "--set", "time.end=1", expect=WRONG_INPUT,
        )  # fmt: skip
        self.assert_error(done, "generalised_alpha 1", "generalised_alpha 0.5")

    @unittest.skipUnless(HAS_MPI, "no MPI")
    def test_ranks_agree(self):
        for name, text in ("heat", HEAT), ("string", STRING):
            case = self.write(f"{name}.toml", text)
            self.weft("run", case, "--out", "alone")
            self.weft_on(2, "run", case, "--out", "two")
            one, two = self.rows("alone"), self.rows("two")
            self.assertEqual(len(one), len(two))
            for a, b in zip(one, two, strict=True):
                for key in a:
                    self.assertAlmostEqual(a[key], b[key], delta=1e-7)

    def test_moving_supports(self):
        """A bar that is shaken as a whole stays straight: rates of prescribed values are theirs."""
        text = replaced(STRING, "u = 0 }\nx1 = { u = 0 }", 'u = "t^3" }\nx1 = { u = "t^3" }')
        text = replaced(text, "+ inner(grad(u)", "- 6*t*test(u) + inner(grad(u)")
        self.run_case(replaced(text, "where(x < 0.3, x/0.3, (1 - x)/0.7)", "0"))
        self.assertAlmostEqual(self.rows()[-1]["speed"], 0.75, delta=2e-3)
        self.assertLess(abs(self.rows()[-1]["slope_rate_0"]), 1e-4)

    def test_quasi_static(self):
        """Each step is the stationary problem at its end."""
        text = replaced(CASE, "- f*test(u)", "- t*f*test(u)")
        self.run_case(CASE)
        stationary = self.results()["functionals"]
        self.run_case(text + "\n[time]\nend = 2\nstep = 0.5\n")
        rows = self.rows()
        self.assertEqual([row["time"] for row in rows], [0, 0.5, 1, 1.5, 2])
        for name, value in stationary.items():
            if not isinstance(value, list) and name in rows[0]:
                for row in rows:
                    self.assertAlmostEqual(row[name], row["time"] * value, delta=1e-8)


class WrongInput(CommandLineTest):
    def test_schemes(self):
        wrong = self.run_case(replaced(WAVE, "end = 1.0", 'scheme = "bdf2"\nend = 1.0'), expect=WRONG_INPUT)
        self.assert_error(wrong, "a scheme for dt(u) in a weak form with dt(dt(u))", "generalised_alpha")
        wrong = self.run_case(
            replaced(HEAT, 'scheme = "dirk3"', 'scheme = "dirk3"\nspectral_radius = 1'), expect=WRONG_INPUT
        )
        self.assert_error(wrong, "spectral_radius belongs to the scheme `generalised_alpha`")
        wrong = self.run_case(CASE + '\n[time]\nscheme = "bdf2"\nend = 1\nstep = 0.1\n', expect=WRONG_INPUT)
        self.assert_error(wrong, "a scheme in time for a weak form without dt()", "leave it out")
        wrong = self.run_case(
            CASE + "\n[time]\nend = 1\nstep = 0.1\nadaptive = { tolerance = 1e-3 }\n", expect=WRONG_INPUT
        )
        self.assert_error(wrong, "adaptive steps of a weak form without dt()")

    def test_rates(self):
        wrong = self.run_case(replaced(HEAT, '[initial]\nu = "s"', '[initial]\n"dt(u)" = "s"'), expect=WRONG_INPUT)
        self.assert_error(wrong, "a velocity at the start of `u`", "dt(dt(u))")
        wrong = self.run_case(replaced(HEAT, 'average = "u"', 'average = "dt(u)"'), expect=WRONG_INPUT)
        self.assert_error(wrong, "dt() has a meaning in the equations only", "generalised_alpha")
        wrong = self.run_case(replaced(HEAT, "dt(u)*test(u)", "dt(dt(dt(u)))*test(u)"), expect=WRONG_INPUT)
        self.assert_error(wrong, "the third time derivative of a field")
        wrong = self.run_case(replaced(WAVE, "u = { element", 'p = { element = "P1" }\nu = { element').replace(
            "sin(3*t + 0.5))*test(u)", "sin(3*t + 0.5))*test(u) + (p - u)*test(p)"
        ).replace('average = "u"', 'average = "dt(p)"'), expect=WRONG_INPUT)  # fmt: skip
        self.assert_error(wrong, "a time derivative of `p` that its equation does not have")

    def test_no_rate_at_the_start(self):
        text = replaced(STRING, "u = { element", 'p = { element = "P1" }\nu = { element')
        text = replaced(text, "dt(dt(u))*test(u)", "(p + dt(u))*test(u) + (u - 2)*test(p) + dt(dt(p))*test(p)*0")
        text = text[: text.index("[functionals]")].replace("spectral_radius = 1.0", 'scheme = "generalised_alpha"')
        self.assert_error(self.run_case(text, expect=NUMBERS_FAILED), "no time derivatives at the start")


if __name__ == "__main__":
    unittest.main()
