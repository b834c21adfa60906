"""What an equation promises on any mesh holds to the solver's tolerance, in the results of the cases."""

import csv
import json
import os
import unittest
from pathlib import Path

OUTPUT = Path(os.environ.get("WEFT_CASE_OUTPUT", ""))


class Balances(unittest.TestCase):
    def balance(self, case, one, other):
        functionals = json.loads((OUTPUT / case / "results.json").read_text())["functionals"]
        one, other = functionals[one], functionals[other]
        self.assertLess(abs(one - other), 1e-9 * abs(one))

    def test_heat_that_enters_leaves(self):
        self.balance("heat_sink", "Q_in", "Q_out")

    def test_heat_that_enters_tetrahedra_leaves_prisms(self):
        self.balance("prism_layers", "Q_in", "Q_out")

    def test_heat_that_enters_leaves_in_a_nonlinear_problem(self):
        self.balance("nonlinear_heat", "Q_in", "Q_out")

    def test_work_is_twice_the_energy(self):
        """Clapeyron's theorem."""
        self.balance("bracket", "work", "twice_energy")

    def test_heat_that_enters_a_stressed_body_leaves(self):
        self.balance("thermal_stress", "Q_in", "Q_out")

    def test_a_body_without_loads_grows_as_its_parts_would(self):
        """The mean stress of a body without loads is zero: the weak form with the test function X."""
        self.balance("thermal_stress", "growth", "free_growth")

    def test_phases_keep_their_mass_and_lose_energy(self):
        with open(OUTPUT / "cahn_hilliard" / "functionals.csv", newline="") as file:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
        self.assertGreater(len(rows), 50)
        for before, after in zip(rows, rows[1:]):
            self.assertLess(after["energy"], before["energy"])
            self.assertLess(abs(after["mass"] - 0.63), 1e-12)


if __name__ == "__main__":
    unittest.main()
