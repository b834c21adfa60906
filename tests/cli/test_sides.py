"""Values on one side of an interface, and the points that extremes are looked for over."""

import unittest

from weft_cli import ROOT, WRONG_INPUT, CommandLineTest, replaced

# u is linear on either side of x = 0.5, and its flux 1/(0.5/1 + 0.5/10) is the same.
FLUX = 1 / 0.55
TWO_BARS = """\
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle" }
groups.left = { cells = "x < 0.501" }
groups.right = { cells = "x > 0.499" }

[parameters]
k = { left = 1.0, right = 10.0 }

[fields]
u = { element = "P1" }

[weak_form]
cells.all = "k*inner(grad(u), grad(test(u)))"

[dirichlet]
x0 = { u = 0 }
x1 = { u = 1 }

[functionals]
slope_left = { point = [0.5, 0.5], value = "grad(u)[0]", cells = "left" }
slope_right = { point = [0.5, 0.5], value = "grad(u)[0]", cells = "right" }
flux_right = { point = [0.5, 0.5], value = "k*grad(u)[0]", cells = ["right"] }
slope_mean = { point = [0.5, 0.5], value = "grad(u)[0]" }
steepest_left = { maximum = "grad(u)[0]", cells = "left" }
steepest_right = { maximum = "grad(u)[0]", cells = "right", over = "nodes" }
"""


class Sides(CommandLineTest):
    def values(self, *arguments, text=TWO_BARS):
        self.run_case(text, *arguments)
        return self.results()["functionals"]

    def test_each_side_has_its_own_slope(self):
        values = self.values()
        self.assertAlmostEqual(values["slope_left"], FLUX, 9)
        self.assertAlmostEqual(values["slope_right"], FLUX / 10, 9)
        self.assertAlmostEqual(values["flux_right"], FLUX, 9)
        self.assertAlmostEqual(values["steepest_left"], FLUX, 9)
        self.assertAlmostEqual(values["steepest_right"], FLUX / 10, 9)
        # Six cells touch the node, three on either side.
        self.assertAlmostEqual(values["slope_mean"], (FLUX + FLUX / 10) / 2, 9)

    def test_a_parameter_of_one_side_is_enough(self):
        text = TWO_BARS.replace("[parameters]\n", "[parameters]\nc = { right = 3.0 }\n")
        text += 'own = { point = [0.5, 0.5], value = "c", cells = "right" }\n'
        self.assertEqual(self.values(text=text)["own"], 3.0)
        other = text + 'other = { point = [0.5, 0.5], value = "c" }\n'
        self.assert_error(self.run_case(other, expect=WRONG_INPUT), "`c` has no value")

    def test_gradients_are_those_of_the_side(self):
        text = replaced(
            TWO_BARS,
            "[functionals]\n",
            "[functionals]\nscaled = { point = [0.5, 0.5], "
            'value = "k*grad(u)[0]", cells = "left", gradient = ["k.left", "k.right"] }\n',
        )
        self.run_case(text)
        gradients = self.results()["gradients"]["scaled"]
        # Of 1/(0.5/a + 0.5/b): its square times 0.5/a^2, and 0.5/b^2.
        self.assertAlmostEqual(gradients["k.left"], FLUX**2 * 0.5, 7)
        self.assertAlmostEqual(gradients["k.right"], FLUX**2 * 0.005, 7)

    def test_cells_that_are_elsewhere(self):
        text = TWO_BARS + 'far = { point = [0.75, 0.5], value = "u", cells = "left" }\n'
        self.assert_error(
            self.run_case(text, expect=WRONG_INPUT),
            "no cell of left at (0.75, 0.5)",
            "far",
            "leave cells out",
        )
        text = TWO_BARS + 'far = { point = [0.75, 0.5], value = "u", cells = "middle" }\n'
        self.assert_error(self.run_case(text, expect=WRONG_INPUT), "middle", "left, right")
        text = TWO_BARS + 'far = { point = [0.75, 0.5], value = "u", facets = "x0" }\n'
        self.assert_error(self.run_case(text, expect=WRONG_INPUT), "value with point, and cells")


class Extremes(CommandLineTest):
    # In P1 on a grid with a node at the middle, u = (x - 0.5)^2 is largest at corners; quadrature
    # points lie inside.
    CASE = """\
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [2, 2], cell = "quadrilateral" }
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "u*test(u) - x*test(u)"
[functionals]
nodes = { maximum = "u", over = "nodes" }
inside = { maximum = "u", over = "quadrature" }
all = { maximum = "u", over = "all" }
default = { maximum = "u" }
least = { minimum = "sqrt(1 - x)", over = "quadrature" }
"""

    def test_over_nodes_and_inside(self):
        self.run_case(self.CASE)
        values = self.results()["functionals"]
        self.assertAlmostEqual(values["nodes"], 1, 9)
        # Gauss points of degree 3 or less: the last one at 1 - 0.5 (1 - 1/sqrt(3))/2, or later.
        self.assertGreater(values["inside"], 0.89)
        self.assertLess(values["inside"], 0.999)
        self.assertEqual(values["all"], values["nodes"])
        self.assertEqual(values["default"], values["all"])
        self.assertGreater(values["least"], 0)

    def test_over_what(self):
        wrong = replaced(self.CASE, 'over = "nodes"', 'over = "vertices"')
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), "vertices", "all, nodes, quadrature")
        wrong = self.CASE + 'mean = { average = "u", over = "nodes" }\n'
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), "over with maximum or minimum")


class Membrane(CommandLineTest):
    def test_the_mean_of_both_sides_is_neither(self):
        """NAFEMS T1: near 50 outside, and the mean of all cells far from it."""
        case = ROOT / "cases" / "nafems_t1" / "case.toml"
        self.weft("run", case, "--out", "out", "--set", 'functionals.mean={ point = [1, 0], value = "sigma[1, 1]" }')
        values = self.results()["functionals"]
        self.assertLess(abs(values["sigma_yy_D"] - 50), 1)
        self.assertLess(abs(values["mean"]), 40)


if __name__ == "__main__":
    unittest.main()
