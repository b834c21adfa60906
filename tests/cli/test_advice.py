"""What a specialist would say of a case is said, once, where it is so, and not where it is not."""

import unittest

from weft_cli import CommandLineTest, extended, replaced

BAR = """
physics = ["PHYSICS"]
[mesh]
box = { size = [2, 1], cells = [4, 2] }
groups.tip = { point = [2, 1] }
groups.middle = { point = [1, 0] }
[parameters]
E = 8
nu = NU
[fields]
u = { element = "P1", shape = "vector" }
[weak_form]
facets.x1 = "-test(u[0])"
[dirichlet]
x0 = { u = [0, 0] }
"""

CARRIED = """
[mesh]
box = { cells = [10, 10] }
[parameters]
b = ["2", "0"]
k = 0.01
tau = "TAU"
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u))) + TERM + tau*inner(b, grad(u))*inner(b, grad(test(u))) - test(u)"
[dirichlet]
boundary = { u = 0 }
"""

LAYER = """
[mesh]
box = { cells = [10, 10] }
[parameters]
eps = EPS
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "eps**2*inner(grad(u), grad(test(u))) + u*test(u) - test(u)"
[dirichlet]
boundary = { u = 0 }
"""

# Three quarters of a square, in one piece.
ANGLE = """
Point(1) = {0, 0, 0, 0.5}; Point(2) = {1, 0, 0, 0.5}; Point(3) = {1, 1, 0, 0.5};
Point(4) = {-1, 1, 0, 0.5}; Point(5) = {-1, -1, 0, 0.5}; Point(6) = {0, -1, 0, 0.5};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1};
Curve Loop(1) = {1, 2, 3, 4, 5, 6}; Plane Surface(1) = {1};
Physical Surface("plate") = {1}; Physical Curve("rim") = {1, 2, 3, 4, 5, 6};
"""
DISC = """
SetFactory("OpenCASCADE");
Disk(1) = {0, 0, 0, 1};
MeshSize{:} = 0.4;
Physical Surface("plate") = {1}; Physical Curve("rim") = {1};
"""
IN_FILE = """
[mesh]
file = "shape.geo"
order = ORDER
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - test(u)"
[dirichlet]
rim = { u = 0 }
[functionals]
slope = { point = [0, 0], value = "grad(u)" }
value = { point = [0, 0], value = "u" }
"""


class Advice(CommandLineTest):
    def notices(self, case):
        """Of `weft check`, but those on boundaries without conditions."""
        self.write("case.toml", case)
        done = self.weft("check", "case.toml")
        lines = (done.stdout + done.stderr).splitlines()
        return [line for line in lines if line.startswith("notice: ") and "no condition on" not in line]

    def assert_one(self, case, *parts):
        notices = self.notices(case)
        self.assertEqual(len(notices), 1, notices)
        for part in parts:
            self.assertIn(part, notices[0])

    def bar(self, physics="elasticity_plane_strain", nu=0.3):
        return BAR.replace("PHYSICS", physics).replace("NU", str(nu))

    def test_locking(self):
        self.assert_one(self.bar(nu=0.499), "case.toml:11: [fields] u", "lambda is 499 times mu",
                        "ratio of 0.499", 'element = "P2"')  # fmt: skip
        self.assertEqual(self.notices(self.bar(nu=0.45)), [])
        self.assertEqual(self.notices(self.bar(nu=0.499).replace('"P1"', '"P2"')), [])
        self.assertEqual(self.notices(self.bar("elasticity_plane_stress", 0.499)), [])
        solid = self.bar("elasticity", 0.4999).replace(
            "[2, 1], cells = [4, 2]", '[2, 1, 1], cells = [4, 2, 2], cell = "tetrahedron"'
        )
        solid = solid.replace("[2, 1] }", "[2, 1, 1] }").replace("[1, 0]", "[1, 0, 0]").replace("[0, 0]", "[0, 0, 0]")
        self.assert_one(solid, "ratio of 0.4999")

    def carried(self, term="inner(b, grad(u))*test(u)", tau="0"):
        return CARRIED.replace("TERM", term).replace("TAU", tau)

    @extended
    def test_convection(self):
        # |b| h / (2 k), in the form that is convective, in that which conserves, and half of both
        for term in (
            "inner(b, grad(u))*test(u)",
            "-u*inner(b, grad(test(u)))",
            "0.5*inner(b, grad(u))*test(u) - 0.5*u*inner(b, grad(test(u)))",
        ):
            self.assert_one(self.carried(term), "[fields] u", "cell Peclet number up to 10)", "tau")
        self.assertEqual(self.notices(self.carried().replace("k = 0.01", "k = 0.2")), [])
        self.assertEqual(self.notices(self.carried(tau="0.9*0.1/4")), [])
        self.assert_one(self.carried().replace("k = 0.01", "k = 0"), "there is no diffusion")
        # Too little along the streamlines to matter.
        self.assert_one(self.carried(tau="0.1/40"), "cell Peclet number up to 5)")

    def test_layers(self):
        self.assert_one(LAYER.replace("EPS", "0.01"), "[fields] u", "over a length of 0.01,", "up to 14.1 times")
        self.assertEqual(self.notices(LAYER.replace("EPS", "0.1")), [])

    def test_what_is_not_linear_is_looked_at_where_it_is_solved(self):
        """Of Burgers' equation the state says how strong the convection is."""
        case = self.carried("u*grad(u)[0]*test(u)").replace("boundary = { u = 0 }", "x0 = { u = 1 }")
        case = replaced(replaced(case, "k = 0.01", "k = 0.03"), " - test(u)", "")
        self.assertEqual(self.notices(case), [])
        self.run_case(case)
        notices = [text for text in self.results()["notices"] if "Peclet" in text]
        self.assertEqual(len(notices), 1, notices)

    def test_points_where_nothing_has_a_limit(self):
        force = replaced(self.bar(), "[dirichlet]", 'points.tip = "-test(u[1])"\n[dirichlet]')
        value = '[functionals]\nasked = { point = "tip", value = "u[1]" }\n'
        self.assert_one(force + value, "[functionals] asked", "a force acts at its point")
        self.assertEqual(self.notices(force + value.replace('"tip"', "[1, 1]")), [])
        stress = '[functionals]\nasked = { point = [0, 1], value = "grad(u)[0, 0]" }\n'
        self.assert_one(self.bar() + stress, "the end of a boundary on which u is prescribed")
        self.assertEqual(self.notices(self.bar() + stress.replace("[0, 1]", "[2, 1]")), [])
        rolls = self.bar().replace("u = [0, 0] }", '"u[0]" = 0 }')
        self.assertEqual(self.notices(rolls + stress), [])

    def test_corners_that_point_inwards(self):
        self.write("shape.geo", ANGLE)
        self.assert_one(IN_FILE.replace("ORDER", "1"), "[functionals] slope", "points inwards (75 %")

    def test_curved_boundaries(self):
        self.write("shape.geo", DISC)
        self.assert_one(IN_FILE.replace("ORDER", "1"), "[mesh]: rim looks curved", "[mesh] order = 2")
        self.assertEqual(self.notices(IN_FILE.replace("ORDER", "2")), [])
        self.assertEqual(self.notices(IN_FILE.replace("ORDER", "1").replace('"P2"', '"P1"')), [])


if __name__ == "__main__":
    unittest.main()
