"""Groups by place, curves and points: what the program says of them, and exact solutions with them."""

import unittest

from weft_cli import DONE, WRONG_INPUT, CommandLineTest, extended

# A bar of the length 2 and the unit cross-section in tension: u[0] = F x / E.
BAR = """
physics = ["elasticity"]
[mesh]
box = { size = [2, 1, 1], cells = [4, 2, 2], cell = "hexahedron" }
groups.end = { facets = "x > 2 - 1e-6" }
groups.line = { edges = "x > 2 - 1e-6 and abs(y - 0.5) < 1e-6" }
groups.tip = { point = [2, 0.5, 0.5] }
groups.rail = { edges = "y < 1e-6 and z < 1e-6" }
[parameters]
E = 8
nu = 0
F = 3
[fields]
u = { element = "P1", shape = "vector" }
[weak_form]
facets.end = "-F*test(u[0])"
[dirichlet]
x0 = { "u[0]" = 0 }
rail = { "u[1]" = 0, "u[2]" = 0 }
line = { "u[1]" = 0 }
[functionals]
u_tip = { point = "tip", value = "u[0]" }
on_line = { average = "u[0]", edges = "line" }
length = { integral = "1", edges = "rail" }
pull = { reaction = "u[0]", facets = "x0" }
aside = { reaction = "u[1]", edges = "rail" }
"""

# A cantilever under a load along the edge of its end, and on a spring: E I = 1, L = 10.
CANTILEVER = """
physics = ["elasticity"]
[mesh]
box = { size = [10, 1, 1], cells = [10, 2, 1], cell = "hexahedron" }
groups.edge = { edges = "x > 10 - 1e-6 and z > 1 - 1e-6" }
groups.post = { point = [10, 0.5, 0] }
[parameters]
E = 12
nu = 0
stiffness = 0
[fields]
u = { element = "P2", shape = "vector" }
[weak_form]
edges.edge = "1e-3*test(u[2])"
points.post = "stiffness*u[2]*test(u[2])"
[dirichlet]
x0 = { u = [0, 0, 0] }
[functionals]
sinks = { average = "u[2]", edges = "edge" }
on_post = { point = "post", value = "u[2]" }
held = { reaction = "u[2]", facets = "x0" }
"""

# A membrane of two dimensions on springs at two points: what they carry is the load, turned about each.
SPRINGS = """
[mesh]
box = { size = [2, 1], cells = [8, 4], cell = "triangle" }
groups.left = { point = [0, 0] }
groups.right = { point = [2, 0] }
[parameters]
k = { left = 5, right = 20 }
[fields]
u = { element = "P2", shape = "vector" }
[weak_form]
cells.all = "100*inner(sym(grad(u)), sym(grad(test(u)))) - f*test(u[1])"
points.left = "k*u[1]*test(u[1]) + u[0]*test(u[0])"
points.right = "k*u[1]*test(u[1])"
[functionals]
left = { point = "left", value = "u[1]" }
right = { point = "right", value = "u[1]" }
[parameters.f]
box = -1
"""


class Places(CommandLineTest):
    def values(self, text, *options):
        self.run_case(text, *options)
        return self.results()["functionals"]

    def refuse(self, old, new, *parts, text=BAR):
        self.assertIn(old, text)
        self.assert_error(self.run_case(text.replace(old, new), expect=WRONG_INPUT), *parts)

    def test_a_bar_in_tension(self):
        for options in (
            [],
            ["--set", "mesh.refine=1"],
            ["--set", "mesh.scale=1", "--set", "solver.operator=assembled"],
        ):
            values = self.values(BAR, *options)
            for name, exact in [("u_tip", 0.75), ("on_line", 0.75), ("length", 2), ("pull", -3), ("aside", 0)]:
                self.assertAlmostEqual(values[name], exact, 7, name)

    @extended
    def test_a_beam_bends_as_its_theory_says(self):
        # Timoshenko: q L^3/(3 E I) + q L/(5/6 G A), G = E/2.
        free = 1e-3 * (10**3 / 3 + 10 / 5)
        values = self.values(CANTILEVER)
        self.assertLess(abs(values["sinks"] + free), 2e-3 * free)
        self.assertAlmostEqual(values["held"], 1e-3, 9)
        # A spring s takes the part s free/(1 + s free/q) of the load.
        values = self.values(CANTILEVER, "--set", "parameters.stiffness=0.003")
        self.assertLess(abs(values["on_post"] + free / (1 + 3 * free)), 5e-3 * free)
        self.assertAlmostEqual(values["held"] - 0.003 * values["on_post"], 1e-3, 9)

    def test_springs_at_points_carry_the_load(self):
        values = self.values(SPRINGS)
        self.assertAlmostEqual(5 * values["left"], -1, 7)
        self.assertAlmostEqual(20 * values["right"], -1, 7)

    @extended
    def test_a_non_linear_spring_along_a_curve(self):
        # Pulled and held along the line alone: forces balance on every mesh.
        text = BAR.replace('facets.end = "-F*test(u[0])"', 'edges.line = "(40*u[0]^3 - F)*test(u[0])"').replace(
            "[functionals]", '[functionals]\ncubes = { integral = "u[0]^3", edges = "line" }'
        )
        for operator in ("matrix_free", "assembled"):
            values = self.values(text, "--set", f"solver.operator={operator}")
            self.assertGreater(values["cubes"], 0.01)
            self.assertAlmostEqual(values["pull"] + 3, 40 * values["cubes"], 6)

    def test_mesh_info_says_where_groups_are(self):
        self.write("case.toml", BAR)
        text = self.weft("mesh", "info", self.folder / "case.toml", expect=DONE).stdout
        for line in [
            "box                  16 cells, volume 2, centre (1, 0.5, 0.5)",
            "end                  4 facets, area 1, centre (2, 0.5, 0.5), mean normal (1, 0, 0)",
            "rail                 4 edges, length 2, centre (1, 0, 0)",
            "tip                  1 point at (2, 0.5, 0.5)",
        ]:
            self.assertIn(line, text)

    def test_errors_name_the_group(self):
        self.refuse('x > 2 - 1e-6" }', 'x > 3" }', "groups.end", "boundary facet", "between (0, 0, 0) and (2, 1, 1)")
        self.refuse("[2, 0.5, 0.5]", "[2.3, 0.5, 0.5]", "groups.tip", "at a distance of 0.3")
        self.refuse("groups.end", "groups.x1", "groups.x1", "already")
        self.refuse("groups.end", "groups.boundary", "reserved")
        self.refuse("{ point = [2, 0.5, 0.5] }", "{}", "groups.tip", "one of cells, facets, edges")
        self.refuse('x > 2 - 1e-6" }', 'x > 2*u[0]" }', "groups.end", "u")
        self.refuse('x > 2 - 1e-6" }', 'x > t" }', "groups.end", "place alone")
        self.refuse('x > 2 - 1e-6" }', 'x" }', "groups.end")
        self.refuse('facets.end = "', 'edges.rial = "', "rial", "did you mean rail?")
        self.refuse('facets.end = "-F*test(u[0])"', 'edges.rail = "div(u)*test(u[0])"', "a gradient on an edge")
        self.refuse('point = "tip"', 'point = "top"', "top", "no group of points")
        self.refuse('average = "u[0]", edges = "line"', 'average = "u[0]", points = "tip"', "on_line")
        self.refuse('rail = { "u[1]"', 'rial = { "u[1]"', "rial")

    def test_a_sweep_changes_springs_and_not_groups(self):
        self.write("case.toml", CANTILEVER)
        self.weft("sweep", "case.toml", "--over", "stiffness=0,0.003", "--out", "sweep")
        free, held = (self.folder / "sweep" / "sweep.csv").read_text().splitlines()[-2:]
        self.assertIn("-0.335", free)
        self.assertIn("-0.1675", held)
        self.write("case.toml", BAR.replace('x > 2 - 1e-6" }', 'x > F - 1 - 1e-6" }'))
        swept = self.weft("sweep", "case.toml", "--over", "F=3,4", "--out", "other", expect=WRONG_INPUT)
        self.assert_error(swept, "groups.end", "gets other values in the run")

    def test_a_physical_group_without_elements(self):
        geometry = """
            Point(1) = {0, 0, 0, 1}; Point(2) = {1, 0, 0, 1}; Point(3) = {0, 1, 0, 1};
            Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 1};
            Curve Loop(1) = {1, 2, 3}; Plane Surface(1) = {1};
            Physical Surface("plate") = {1}; Physical Curve("left") = {3}; Physical Curve("lost") = {9};
        """
        self.write("plate.geo", geometry)
        shown = self.weft("mesh", "info", self.folder / "plate.geo", expect=DONE)
        self.assertIn("physical groups without an element: lost (curve)", shown.stderr)
        self.assertIn("left", shown.stdout)
        self.assertRegex(shown.stdout, r"left +1 facet, length 1, centre \(0, 0.5\), mean normal \(-1, 0\), curve 3")


if __name__ == "__main__":
    unittest.main()
