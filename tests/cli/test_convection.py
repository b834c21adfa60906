"""SUPG in the form language: accurate beside layers that no cell resolves, where Galerkin's method fails."""

import math
import unittest

from weft_cli import ROOT, CommandLineTest

CASE = ROOT / "cases" / "convection_diffusion" / "case.toml"


class Convection(CommandLineTest):
    def error_beside_the_layers(self, size, *arguments):
        """In L2."""
        self.weft("run", CASE, "--out", "out", "--set", f"mesh.size={size}", *arguments)
        return math.sqrt(self.results()["functionals"]["error_smooth"])

    def test_order_2_beside_the_layers(self):
        coarse, fine = self.error_beside_the_layers(0.03), self.error_beside_the_layers(0.0075)
        self.assertGreater(math.log(coarse / fine) / math.log(4), 1.8)

    def test_galerkins_method_fails(self):
        galerkin = ["--set", "definitions.tau=0", "--set", "solver.method=gmres"]
        self.assertGreater(
            self.error_beside_the_layers(0.03, *galerkin), 1000 * self.error_beside_the_layers(0.03)
        )


if __name__ == "__main__":
    unittest.main()
