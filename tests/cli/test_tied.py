"""[[tied]]: sides that go on at others, with jumps and turns, and parts that were meshed apart."""

import unittest

from ranks_cli import HAS_MPI, RanksTest
from weft_cli import WRONG_INPUT, CommandLineTest, extended, replaced, with_others

# T rises by 10 from one period to the next: along x by 10, so that the flux is k times 10.
CONDUCTION = """
[mesh]
box = { size = [1, 1], cells = [8, 8], cell = "triangle", distort = 0.2 }
[parameters]
k = 2
[fields]
T = { element = "P1" }
[weak_form]
cells.all = "dot(k*grad(T), grad(test(T)))"
[[tied]]
groups = ["x0", "x1"]
jump = { T = 10 }
[[tied]]
groups = ["y0", "y1"]
[functionals]
flux = { average = "k*grad(T)" }
left = { average = "T", facets = "x0" }
right = { average = "T", facets = "x1" }
mean = { average = "T" }
[output]
fields = ["T"]
"""
# Not linear, in time, periodic along x; with [mesh] periodic in place of [[tied]] it is the same.
REACTION = """
[mesh]
box = { size = [1, 1], cells = [6, 5], cell = "quadrilateral", distort = 0.2 }
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "dt(u)*test(u) + (0.1 + u^2)*dot(grad(u), grad(test(u))) + (1 + cos(2*pi*x))*u*test(u)"
[dirichlet]
y0 = { u = "sin(2*pi*x)*cos(t)" }
[initial]
u = "sin(2*pi*x)*(1 + y)"
[time]
end = 0.2
step = 0.05
[functionals]
mean = { average = "u*(1 + x)" }
side = { average = "u*y", facets = "x1" }
[output]
checkpoint_every = 0.1
"""
TIED = '[[tied]]\ngroups = ["x0", "x1"]\n'
# Two blocks that were meshed apart.
BLOCKS = """
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 1, 1};
Rectangle(2) = {1, 0, 0, 1, 1};
MeshSize {1:4} = 0.25;
MeshSize {5:8} = 0.15;
Physical Surface("soft") = {1};
Physical Surface("hard") = {2};
Physical Curve("left") = {4};
Physical Curve("joint of soft") = {2};
Physical Curve("joint of hard") = {8};
Physical Curve("right") = {6};
Physical Curve("low") = {1, 5};
"""
STRETCHED = """
physics = ["elasticity_plane_stress"]
[mesh]
file = "blocks.geo"
[parameters]
E = 1
nu = 0.3
[fields]
u = { element = "P1", shape = "vector" }
[weak_form]
facets.right = "-test(u[0])"
[dirichlet]
left = { "u[0]" = 0 }
low = { "u[1]" = 0 }
[[tied]]
groups = ["joint of soft", "joint of hard"]
[functionals]
end = { average = "u[0]", facets = "right" }
stress = { maximum = "abs(sigma[0, 0] - 1)" }
"""
# A twelfth of a tube under pressure from inside.
SECTOR = """
Mesh.MeshSizeMax = 0.12;
a = Pi/6;
Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {2, 0, 0};
Point(4) = {2*Cos(a), 2*Sin(a), 0}; Point(5) = {Cos(a), Sin(a), 0};
Line(1) = {2, 3}; Circle(2) = {3, 1, 4}; Line(3) = {4, 5}; Circle(4) = {5, 1, 2};
Transfinite Curve {1} = 9; Transfinite Curve {3} = 13;
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Physical Surface("tube") = {1};
Physical Curve("first") = {1}; Physical Curve("last") = {3}; Physical Curve("inside") = {4};
"""
TUBE = """
physics = ["elasticity_plane_strain"]
[mesh]
file = "sector.geo"
order = 2
[parameters]
E = 1
nu = 0.3
[fields]
u = { element = "P2", shape = "vector" }
[weak_form]
facets.inside = "dot(n, test(u))"
[[tied]]
groups = ["first", "last"]
rotation = { angle = 30 }
[functionals]
inside = { average = "dot(u, [x, y])", facets = "inside" }
"""


class Tied(CommandLineTest):
    def test_a_jump_for_every_solver(self):
        self.write("case.toml", CONDUCTION)
        for solver in ("", "operator=\"matrix_free\"", "operator=\"assembled\"", "method=\"direct\"",
                       "preconditioner=\"jacobi\"", "preconditioner=\"multigrid\"", "preconditioner=\"hypre\"",
                       "preconditioner=\"ilu\""):  # fmt: skip
            with self.subTest(solver):
                self.weft("run", "case.toml", *(("--set", "solver." + solver) if solver else ()))
                found = self.results()["functionals"]
                self.assertAlmostEqual(found["flux"][0], 20, 7)
                self.assertAlmostEqual(found["flux"][1], 0, 7)
                self.assertAlmostEqual(found["right"] - found["left"], 10, 7)
                self.assertAlmostEqual(found["mean"], 0, 7)

    @extended
    def test_elements_and_cells(self):
        usual = [("triangle", "P3"), ("hexahedron", "P2")]
        for cell, element in with_others(usual, [("tetrahedron", "P2"), ("prism", "P1")]):
            with self.subTest(cell):
                case = replaced(replaced(CONDUCTION, '"triangle"', f'"{cell}"'), '"P1"', f'"{element}"')
                if cell != "triangle":
                    case = replaced(replaced(case, "[1, 1]", "[1, 1, 1]"), "[8, 8]", "[4, 3, 3]")
                self.run_case(case)
                found = self.results()["functionals"]
                self.assertAlmostEqual(found["flux"][0], 20, 6)
                self.assertAlmostEqual(found["right"] - found["left"], 10, 6)

    def test_the_same_as_periodic_in_every_scheme(self):
        for scheme in with_others(['scheme="bdf2"', None], ['scheme="theta"', 'scheme="dirk3"']):
            with self.subTest(scheme):
                found = []
                for case in (REACTION + TIED, replaced(REACTION, "distort = 0.2", 'distort = 0.2, periodic = ["x"]')):
                    if scheme is None:  # stationary
                        case = case[: case.index("[time]")] + case[case.index("[functionals]") :]
                        case = replaced(replaced(case, "dt(u)*test(u) + ", ""), "cos(t)", "0.5")
                        case = replaced(case, "checkpoint_every = 0.1", "")
                    self.run_case(case, *(("--set", "time." + scheme) if scheme else ()))
                    found.append(self.results()["functionals"])
                for name, value in found[0].items():
                    self.assertAlmostEqual(value, found[1][name], 8, name)

    def test_restart(self):
        self.run_case(REACTION + TIED)
        whole = self.results()
        self.run_case(replaced(REACTION, "end = 0.2", "end = 0.1") + TIED)
        self.weft("run", "case.toml", "--out", "on", "--restart", "out/checkpoint.h5", "--set", "time.end=0.2",
                  "--force")  # fmt: skip
        self.assertEqual(self.results("on")["functionals"], whole["functionals"])

    @extended
    def test_a_jump_in_time(self):
        case = replaced(replaced(REACTION, "(1 + cos(2*pi*x))*u*test(u)", "0*u*test(u)"), "sin(2*pi*x)*cos(t)", "t*x")
        case = replaced(replaced(case, '"sin(2*pi*x)*(1 + y)"', "0"), 'side = { average = "u*y", facets = "x1" }',
                        'left = { average = "u", facets = "x0" }\n'
                        'right = { average = "u", facets = "x1" }')  # fmt: skip
        for scheme in ("bdf2", "theta", "dirk2"):
            with self.subTest(scheme):
                self.run_case(case + TIED + 'jump = { u = "t" }\n', "--set", f"time.scheme={scheme}")
                found = self.results()["functionals"]
                self.assertAlmostEqual(found["right"] - found["left"], 0.2, 9)

    def test_blocks_that_do_not_match(self):
        self.write("blocks.geo", BLOCKS)
        for element, allowed in (("P1", 4e-3), ("P2", 4e-3)):
            self.run_case(replaced(STRETCHED, '"P1"', f'"{element}"'))
            found = self.results()["functionals"]
            self.assertAlmostEqual(found["end"], 2, delta=1e-4)
            self.assertLess(found["stress"], allowed)

    def test_a_turn(self):
        self.write("sector.geo", SECTOR)
        self.run_case(TUBE)
        # Lame's solution of a tube of radii 1 and 2 in plane strain.
        exact = 1.3 / 3 * ((1 - 2 * 0.3) + 4)
        self.assertAlmostEqual(self.results()["functionals"]["inside"], exact, delta=1e-4)

    def test_what_is_refused(self):
        for old, new, message in (
            ('groups = ["x0", "x1"]', 'groups = ["x0"]', "two groups of facets"),
            ('groups = ["x0", "x1"]', 'groups = ["x0", "x0"]', "two groups of facets"),
            ('groups = ["x0", "x1"]', 'groups = ["x0", "top"]', "top"),
            ('groups = ["x0", "x1"]', 'groups = ["x0", "y1"]', "do not lie on one another"),
            ("jump = { T = 10 }", "jump = { S = 10 }", "S"),
            ("jump = { T = 10 }", 'jump = { T = "T" }', "T"),
            ("jump = { T = 10 }", "rotation = { axis = [0, 0, 1] }", "without an angle"),
            ("jump = { T = 10 }", "shift = 3", "shift"),
            ('flux = { average = "k*grad(T)" }', 'flux = { average = "T", error = true }', "tied"),
            ('element = "P1"', 'element = "DG1"', "discontinuous"),
        ):
            with self.subTest(new):
                done = self.run_case(replaced(CONDUCTION, old, new), expect=WRONG_INPUT)
                self.assert_error(done, message, "case.toml:")
        done = self.run_case(CONDUCTION, "--set", "solver.preconditioner={kind=\"multigrid\", coarsening=\"nested\"}",
                             expect=WRONG_INPUT)  # fmt: skip
        self.assert_error(done, "coarser discretisations of fields that are tied")


@unittest.skipUnless(HAS_MPI, "built without MPI")
class TiedOnRanks(RanksTest):
    def test_several_processes_are_refused(self):
        self.write("case.toml", CONDUCTION)
        done = self.weft_on(2, "run", "case.toml", expect=WRONG_INPUT)
        self.assert_one_message(done, "tied groups shared by several processes")


if __name__ == "__main__":
    unittest.main()
