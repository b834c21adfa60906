"""The flow in a cavity at a lower Reynolds number than its case has, and without inertia."""

import unittest

from weft_cli import ROOT, CommandLineTest

CASE = ROOT / "cases" / "cavity" / "case.toml"


class Cavity(CommandLineTest):
    def functionals(self, *arguments):
        self.weft("run", CASE, "--out", "out", *arguments)
        return self.results()["functionals"]

    def test_reynolds_number_100(self):
        """Ghia, Ghia, Shin 1982, doi:10.1016/0021-9991(82)90058-4, who are 1 to 2% off later values."""
        found = self.functionals("--set", "parameters.Re=100")
        for name, value in {"u_low": -0.21090, "u_middle": -0.20581, "u_high": 0.68717}.items():
            self.assertLess(abs(found[name] / value - 1), 0.02, name)

    def test_without_inertia(self):
        """Stokes flow is the same to the left and to the right."""
        mirrored = ["--set", "functionals.v_min.point=[0.8422, 0.5]"]
        found = self.functionals("--set", "parameters.rho=0", *mirrored)
        self.assertAlmostEqual(found["v_min"], -found["v_max"], delta=1e-10)


if __name__ == "__main__":
    unittest.main()
