"""Orders of convergence of a scalar that is carried, on cells of all types."""

import unittest

from law_problems import ACROSS, COUNTS, SLACK, LawOrderTest, advection, problems
from weft_cli import extended, with_others


class LawOrders(LawOrderTest):
    @extended
    def test_advection(self):
        for cell, order, count in problems():
            with self.subTest(cell=cell, order=order):
                self.assert_order(advection(cell, order, count), order + 1 - SLACK)

    def test_advection_across_the_gradient(self):
        """Half an order may be lost where a flow crosses the gradient and the cells alike everywhere.

        Not more than that: on any mesh the order is p + 1/2 (Johnson and Pitkaranta, Math. Comp. 46
        (1986) 1, doi 10.1090/S0025-5718-1986-0815828-4), which is reached on some (Peterson, SIAM J.
        Numer. Anal. 28 (1991) 133, doi 10.1137/0728006).
        """
        for order in with_others((2, 4), (1, 3, 5, 6)):
            with self.subTest(order=order):
                text = advection("tetrahedron", order, COUNTS[3][order - 1], flow=ACROSS)
                self.assert_order(text, order + 0.5)

    def test_order_9_beats_order_8(self):
        error = []
        for order in (8, 9):
            text = advection("triangle", order, 1).replace("cfl = 0.5", "cfl = 0.1")
            error.append(self.levels(text)[-1]["errors"]["q"]["L2"])
        self.assertLess(error[1], error[0])


if __name__ == "__main__":
    unittest.main()
