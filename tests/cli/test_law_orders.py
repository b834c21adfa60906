"""Orders of convergence of a scalar that is carried and that diffuses."""

import unittest

from law_problems import SLACK, LawOrderTest, advection, problems
from weft_cli import ROOT


class LawOrders(LawOrderTest):
    def test_advection(self):
        for cell, order, count in problems():
            with self.subTest(cell=cell, order=order):
                self.assert_order(advection(cell, order, count), order + 1 - SLACK)

    def test_advection_on_irregular_cells(self):
        meshes = [("triangle", 1, 16), ("triangle", 3, 6), ("tetrahedron", 2, 6)]
        for cell, order, count in meshes:
            with self.subTest(cell=cell, order=order):
                self.assert_order(advection(cell, order, count, distort=0.15), order + 0.5)

    def test_advection_on_cells_that_are_no_parallelograms(self):
        """Their Gauss-Lobatto rules leave an order less where refining does not make them regular."""
        for cell, order, count in [("quadrilateral", 2, 8), ("hexahedron", 2, 6)]:
            with self.subTest(cell=cell, order=order):
                self.assert_order(advection(cell, order, count, distort=0.15), order)

    def test_advection_with_the_central_flux(self):
        for cell, order, count in [("triangle", 2, 8), ("triangle", 3, 6), ("hexahedron", 3, 4)]:
            with self.subTest(cell=cell, order=order):
                self.assert_order(advection(cell, order, count, flux="central"), order)

    def test_diffusion(self):
        problems_here = [("triangle", 3, 6), ("quadrilateral", 2, 8), ("prism", 2, 5)]
        for cell, order, count in problems_here:
            with self.subTest(cell=cell, order=order):
                text = advection(cell, order, count, diffusion=0.02)
                self.assert_order(text, order + 1 - SLACK)

    def test_light_in_a_cavity(self):
        """The case on other cells; `weft verify` of the case itself takes tetrahedra of order 3."""
        case = ROOT / "cases" / "maxwell_cavity" / "case.toml"
        for cell, order, cells, flux, least in [
            ("hexahedron", 3, 3, "upwind", 4 - SLACK),
            ("prism", 2, 4, "upwind", 3 - SLACK),
            ("tetrahedron", 2, 4, "central", 2),
        ]:
            arguments = [
                *("--set", f"mesh.box.cell={cell}", "--set", f"mesh.box.cells={[cells] * 3}"),
                *("--set", f"fields.E.element=DG{order}", "--set", f"fields.H.element=DG{order}"),
                *("--set", f"verify.expect.E={least + SLACK}"),
                *("--set", f"verify.expect.H={least + SLACK}"),
                *("--set", f"conservation_law.numerical_flux={flux}"),
            ]
            with self.subTest(cell=cell, order=order, flux=flux):
                self.weft("verify", case, *arguments)

    def test_order_9_beats_order_8(self):
        error = []
        for order in (8, 9):
            text = advection("triangle", order, 1).replace("cfl = 0.5", "cfl = 0.1")
            error.append(self.levels(text)[-1]["errors"]["q"]["L2"])
        self.assertLess(error[1], error[0])


if __name__ == "__main__":
    unittest.main()
