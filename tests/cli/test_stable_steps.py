"""Explicit steps that are stable by themselves, on cells of all types, with waves and viscosity."""

import csv
import itertools
import math
import unittest

from law_problems import DIMENSIONS, box, velocity
from weft_cli import ALL, CommandLineTest

COUNTS = {2: 4, 3: 2}
# Orders and viscosities: none, as much as the waves in the step, nearly alone.
KINDS = ((1, 0.3), (4, 0.003))
if ALL:
    PROBLEMS = itertools.product(DIMENSIONS, itertools.product((1, 2, 3, 4, 5, 6), (0.0, 0.003, 0.3)))
else:
    PROBLEMS = zip(DIMENSIONS, itertools.cycle(KINDS))
FEWEST_STEPS = 100


def carried_noise(cell, order, viscosity):
    """Nothing that a mesh resolves, in a periodic box of distorted cells."""
    flux = "a*q" if viscosity == 0 else "a*q - nu*grad(q)"
    return f"""\
[parameters]
a = {velocity(cell)}
nu = {viscosity}
[mesh]
{box(cell, COUNTS[DIMENSIONS[cell]], distort=0.1)}
[fields]
q = {{ element = "DG{order}" }}
[conservation_law]
flux.q = "{flux}"
numerical_flux = "upwind"
wave_speed = "norm(a)"
[initial]
q = "sin(123*x + 45*y) + cos(67*x*y + 89*x)"
[functionals]
energy = {{ integral = "q^2" }}
[time]
end = 1.0
"""


class StableSteps(CommandLineTest):
    def test_no_state_grows(self):
        for cell, (order, viscosity) in PROBLEMS:
            with self.subTest(cell=cell, order=order, viscosity=viscosity):
                self.run_case(carried_noise(cell, order, viscosity))
                time = self.results()["time"]
                end = time["end"] * max(1, math.ceil(FEWEST_STEPS / time["steps"]))
                if end > time["end"]:
                    self.weft("run", "case.toml", "--out", "out", "--set", f"time.end={end}")
                with open(self.folder / "out" / "functionals.csv", encoding="utf-8") as file:
                    energies = [float(row["energy"]) for row in csv.DictReader(file)]
                self.assertGreater(energies[0], 0)
                self.assertLess(energies[-1], energies[0])


if __name__ == "__main__":
    unittest.main()
