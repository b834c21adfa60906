"""SUPG in the form language: accurate beside layers that no cell resolves, where Galerkin's method fails."""

import math
import unittest

from weft_cli import ROOT, WRONG_INPUT, CommandLineTest

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


class Preconditioners(CommandLineTest):
    """The same solution as with Jacobi, in fewer iterations."""

    def solve(self, *settings):
        arguments = [part for setting in settings for part in ("--set", setting)]
        done = self.weft("run", CASE, "--out", "out", "--set", "mesh.size=0.02", *arguments)
        results = self.results()
        self.assertTrue(results["solver"]["converged"])
        return done.stdout, results["solver"], results["functionals"]["u_centre"]

    def test_ilu(self):
        _, jacobi, expected = self.solve("solver.preconditioner=jacobi")
        output, ilu, found = self.solve("solver.preconditioner=ilu")
        self.assertIn("bicgstab with ilu, assembled", output)
        self.assertLess(3 * ilu["iterations"], jacobi["iterations"])
        self.assertAlmostEqual(found, expected, delta=1e-8)
        _, filled, found = self.solve('solver.preconditioner={ kind = "ilu", level = 2 }', "solver.method=gmres")
        self.assertLess(filled["iterations"], ilu["iterations"] * 2)
        self.assertAlmostEqual(found, expected, delta=1e-8)

    def test_large_boxes_get_ilu(self):
        """Where elimination would take too long; below, and where the case says so, nothing changes."""
        case = """\
title = "Oblique wind"
[mesh]
box = { cells = [38, 38, 38], cell = "tetrahedron" }
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "0.05*inner(grad(u), grad(test(u))) + (dot([1, 0.5, 0.25], grad(u)) - 1)*test(u)"
[dirichlet]
all = { u = 0 }
"""
        done = self.run_case(case)
        self.assertIn("solver: gmres with ilu, assembled (chosen)", done.stdout)
        self.assertLess(self.results()["solver"]["iterations"], 100)
        done = self.run_case(case, "--set", "mesh.box.cells=[20, 20, 20]", "--set", "solver.method=gmres")
        self.assertIn("solver: gmres with jacobi, matrix-free (chosen)", done.stdout)

    def test_spai(self):
        _, jacobi, expected = self.solve("solver.preconditioner=jacobi")
        output, spai, found = self.solve("solver.preconditioner=spai")
        self.assertIn("bicgstab with spai, assembled", output)
        self.assertLess(spai["iterations"], jacobi["iterations"])
        self.assertAlmostEqual(found, expected, delta=1e-8)

    def test_adi_goes_along_the_lines_of_a_box(self):
        box = (
            "solver.preconditioner=adi",
            'mesh={ box = { cells = [40, 30], cell = "quadrilateral" } }',
            "dirichlet={ all = { u = 0 } }",
            'functionals={ u_centre = { point = [0.5, 0.5], value = "u" } }',
        )
        output, _, found = self.solve(*box)
        self.assertIn("bicgstab with adi, assembled", output)
        _, _, expected = self.solve("solver.preconditioner=ilu", *box[1:])
        self.assertAlmostEqual(found, expected, delta=1e-8)

    def test_adi_refuses_other_meshes(self):
        done = self.weft("run", CASE, "--out", "out", "--set", "mesh.size=0.1", "--set",
                         "solver.preconditioner=adi", expect=WRONG_INPUT)  # fmt: skip
        self.assert_error(done, "tensor-product grid", "on a box", '"ilu"')

    def test_cg_refuses_ilu_of_an_unsymmetric_form(self):
        done = self.weft("run", CASE, "--out", "out", "--set", "mesh.size=0.1", "--set",
                         "solver.preconditioner=ilu", "--set", "solver.method=cg",
                         expect=WRONG_INPUT)  # fmt: skip
        self.assert_error(done, "gmres, bicgstab")


if __name__ == "__main__":
    unittest.main()
