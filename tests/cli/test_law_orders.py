"""Orders of convergence of a scalar that is carried, on cells of all types."""

import unittest

from law_problems import SLACK, LawOrderTest, advection, problems


class LawOrders(LawOrderTest):
    def test_advection(self):
        for cell, order, count in problems():
            with self.subTest(cell=cell, order=order):
                self.assert_order(advection(cell, order, count), order + 1 - SLACK)

    def test_order_9_beats_order_8(self):
        error = []
        for order in (8, 9):
            text = advection("triangle", order, 1).replace("cfl = 0.5", "cfl = 0.1")
            error.append(self.levels(text)[-1]["errors"]["q"]["L2"])
        self.assertLess(error[1], error[0])


if __name__ == "__main__":
    unittest.main()
