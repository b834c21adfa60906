"""Orders of convergence of gases, with and without viscosity."""

import unittest

from law_problems import SLACK, LawOrderTest, couette, euler, problems
from weft_cli import ALL, extended


class LawOrdersOfGases(LawOrderTest):
    @extended
    def test_euler(self):
        chosen = [
            ("triangle", 2, 8, "roe"),
            ("quadrilateral", 3, 6, "hllc"),
            ("tetrahedron", 2, 6, "hllc"),
        ]
        if ALL:
            chosen += [("hexahedron", 3, 4, "hll"), ("prism", 2, 5, "lax_friedrichs")]
            chosen += [(*problem, "hllc") for problem in problems()]
        for cell, order, count, flux in chosen:
            with self.subTest(cell=cell, order=order, flux=flux):
                self.assert_order(euler(cell, order, count, flux), order + 1 - SLACK)

    @extended
    def test_navier_stokes(self):
        """The density, which nothing diffuses, is half an order below the momentum."""
        for cell, order, count in [("triangle", 1, 8), ("triangle", 2, 8), ("quadrilateral", 3, 4)]:
            with self.subTest(cell=cell, order=order):
                self.assert_order(couette(cell, order, count), order + 0.5)


if __name__ == "__main__":
    unittest.main()
