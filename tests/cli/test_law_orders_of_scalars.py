"""Orders of convergence of a scalar on irregular cells, with the central flux, and that diffuses."""

import unittest

from law_problems import SLACK, LawOrderTest, advection
from weft_cli import extended, with_others


class LawOrdersOfScalars(LawOrderTest):
    def test_advection_on_irregular_cells(self):
        usual = [("triangle", 3, 6), ("tetrahedron", 2, 6), ("quadrilateral", 2, 8), ("hexahedron", 1, 8)]
        others = [("triangle", 1, 16), ("quadrilateral", 1, 16), ("hexahedron", 2, 6)]
        for cell, order, count in with_others(usual, others):
            with self.subTest(cell=cell, order=order):
                self.assert_order(advection(cell, order, count, distort=0.15), order + 0.5)

    @extended
    def test_advection_with_the_central_flux(self):
        for cell, order, count in with_others([("triangle", 3, 6), ("hexahedron", 3, 4)], [("triangle", 2, 8)]):
            with self.subTest(cell=cell, order=order):
                self.assert_order(advection(cell, order, count, flux="central"), order)

    @extended
    def test_diffusion(self):
        problems_here = [("triangle", 3, 6), ("quadrilateral", 2, 8), ("prism", 2, 5)]
        for cell, order, count in problems_here:
            with self.subTest(cell=cell, order=order):
                text = advection(cell, order, count, diffusion=0.02)
                self.assert_order(text, order + 1 - SLACK)


if __name__ == "__main__":
    unittest.main()
