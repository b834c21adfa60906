"""Sources of laws that are split from them in time, and first times."""

import math

from weft_cli import NUMBERS_FAILED, WRONG_INPUT, CommandLineTest, replaced

# Carried along x through a place where it decays and grows: u0(x - t) exp(-K), K the integral of the
# rate along the way.
CARRIED = """\
[mesh]
box = { cells = [8, 1], cell = "quadrilateral", periodic = ["x", "y"] }

[parameters]
rate = "1 + 5*sin(2*pi*x)"

[fields]
u = { element = "DG5" }
w = { element = "DG5" }

[conservation_law]
flux.u = "[u, 0]"
source.u = "-rate*u"
source.w = "cos(t) - w"

[initial]
u = "2 + sin(2*pi*x)"

[exact]
u = "(2 + sin(2*pi*(x - t)))*exp(-t - 5/(2*pi)*(cos(2*pi*(x - t)) - cos(2*pi*x)))"
w = "(cos(t) + sin(t) - exp(-t))/2"

[time]
end = 0.04
step = 0.004
reactions = "rush_larsen"
"""

# Follows cos(t) within 1/1000 of the time.
STIFF = """\
[mesh]
box = { cells = [2, 1], cell = "quadrilateral" }

[fields]
w = { element = "DG1" }

[conservation_law]
source.w = "1000*(cos(t) - w)"

[boundary.all]
outer = { w = "w" }

[initial]
w = 1

[exact]
w = "cos(t)"

[time]
end = 1
step = 0.02
reactions = "rush_larsen"
"""

# u = (1 + x) t is 0.5 at the time 0.5/(1 + x).
FIRST = """\
[mesh]
box = { cells = [4, 1], cell = "quadrilateral" }

[fields]
u = { element = "DG0" }

[conservation_law]
source.u = "1 + x"

[boundary.all]
outer = { u = "u" }

[time]
end = 0.4
step = 0.03

[first_times]
activation = "u - 0.5"
never = "u - 5"
at_once = "u + 1"

[functionals]
last = { maximum = "activation" }
mean = { average = "activation" }
share = { average = "where(activation >= 0, 1, 0)" }
left = { value = "activation", point = [0.1, 0.5] }
right = { value = "activation", point = [0.9, 0.5] }
nowhere = { maximum = "never" }
start = { maximum = "at_once" }

[output]
fields = ["activation", "u"]
every = 0.1
checkpoint_every = 0.2
"""


class Reactions(CommandLineTest):
    def results_of(self, text):
        self.run_case(text)
        return self.results()

    def orders(self, text):
        errors = []
        for step in ("0.004", "0.002"):
            errors.append(self.results_of(replaced(text, "step = 0.004", f"step = {step}"))["errors"])
        return {
            name: math.log2(errors[0][name]["L2"] / errors[1][name]["L2"]) for name in errors[0]
        }

    def test_order_2(self):
        for scheme in ('reactions = "rush_larsen"', "substeps = 2"):
            with self.subTest(scheme):
                orders = self.orders(replaced(CARRIED, 'reactions = "rush_larsen"', scheme))
                self.assertAlmostEqual(orders["u"], 2, delta=0.15)
                self.assertAlmostEqual(orders["w"], 2, delta=0.15)

    def test_stiff_decay_needs_the_exponential(self):
        error = self.results_of(STIFF)["errors"]["w"]["L2"]
        self.assertLess(error, 0.02)
        for other in ("", "substeps = 1"):
            self.write("case.toml", replaced(STIFF, 'reactions = "rush_larsen"', other))
            self.weft("run", "case.toml", expect=NUMBERS_FAILED)
        fine = self.results_of(replaced(STIFF, 'reactions = "rush_larsen"', "substeps = 20"))
        self.assertLess(fine["errors"]["w"]["L2"], 2e-3)  # w lags behind by 1/1000

    def test_first_times(self):
        found = self.results_of(FIRST)["functionals"]
        times = [0.5 / (1 + x) for x in (0.375, 0.625, 0.875)]
        self.assertAlmostEqual(found["last"], times[0], delta=1e-12)
        self.assertAlmostEqual(found["mean"], sum(times) / 3, delta=1e-12)
        self.assertAlmostEqual(found["share"], 0.75, delta=1e-12)
        self.assertAlmostEqual(found["right"], times[2], delta=1e-12)
        self.assertIsNone(found["left"])
        self.assertIsNone(found["nowhere"])
        self.assertEqual(found["start"], 0)

    def test_first_times_of_a_failed_run(self):
        # NaN from the time 0.23 on, after a step to 0.225; the last good state is that at 0.2.
        text = replaced(FIRST, '"1 + x"', '"1 + x + 1e-30*sqrt(0.23 - t)"')
        self.write("case.toml", replaced(text, '"u - 0.5"', '"u - 0.3"'))
        self.weft("run", "case.toml", expect=NUMBERS_FAILED)
        found = self.results()["functionals"]
        self.assertAlmostEqual(found["last"], 0.3 / (1 + 0.625), delta=1e-12)
        self.assertAlmostEqual(found["share"], 0.5, delta=1e-12)

    def assert_same_bits_after_restart(self, text, middle):
        self.write("case.toml", text)
        self.weft("run", "case.toml", "--out", "whole")
        self.weft("run", "case.toml", "--out", "parts", "--set", f"time.end={middle}")
        self.weft("run", "case.toml", "--out", "parts", "--restart", "parts/checkpoint.h5")
        for path in sorted((self.folder / "whole").glob("fields*")):
            self.assertEqual(path.read_bytes(), (self.folder / "parts" / path.name).read_bytes())

    def test_same_bits_after_a_restart(self):
        self.assert_same_bits_after_restart(FIRST, 0.2)
        output = "\n[output]\nevery = 0.02\ncheckpoint_every = 0.02\n"
        self.assert_same_bits_after_restart(CARRIED + output, 0.02)

    def test_rows_at_intervals(self):
        text = replaced(FIRST, "every = 0.1\n", "every = 0.1\nrows_every = 0.15\n")
        self.assert_same_bits_after_restart(text, 0.2)
        rows = (self.folder / "whole" / "functionals.csv").read_text().splitlines()[1:]
        # Steps divide what lies between times of output: by 0.025. The end has a row at any rate.
        times = [float(row.split(",")[0]) for row in rows]
        for time, wanted in zip(times, (0, 0.15, 0.3, 0.4), strict=True):
            self.assertAlmostEqual(time, wanted, delta=1e-12)

    def refused(self, text, *words):
        self.write("case.toml", text)
        message = self.weft("run", "case.toml", expect=WRONG_INPUT).stderr
        for word in words:
            self.assertIn(word, message)

    def test_bad_input(self):
        self.refused(
            replaced(CARRIED, "-rate*u", "-rate*u + grad(u)[0]"), "gradients", "source.u", "split"
        )
        self.refused(CARRIED + 'scheme = "ssprk3"\nadaptive = { tolerance = 1e-3 }\n', "adaptive")
        self.refused(replaced(CARRIED, "rush_larsen", "euler"), "euler", "rush_larsen")
        self.refused(
            replaced(CARRIED, 'reactions = "rush_larsen"', "substeps = 0"), "substeps", ">= 1"
        )
        self.refused(replaced(FIRST, '"u - 0.5"', '"grad(u)[0]"'), "gradients", "activation")
        self.refused(replaced(FIRST, "never =", "u ="), "u")
        self.refused(replaced(FIRST, '"u - 0.5"', '"[u, u]"'), "activation", "vector of 2")
