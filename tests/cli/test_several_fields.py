"""Several fields, nothing said of solvers: what is chosen, and that it is right."""

import unittest

from weft_cli import WRONG_INPUT, CommandLineTest, replaced

STOKES = """
[mesh]
box = { size = [1, 1], cells = [16, 16] }
[parameters]
mu = 2.5
[fields]
u = { element = "P2", shape = "vector" }
p = { element = "P1" }
[weak_form]
cells.all = "mu*inner(grad(u), grad(test(u))) - p*div(test(u)) - div(u)*test(p)"
[dirichlet]
all = { u = ["4*y*(1 - y)", 0] }
[exact]
u = ["4*y*(1 - y)", 0]
p = "8*mu*(0.5 - x)"
"""

HEAT_AND_STRESS = """
[mesh]
box = { size = [1, 1, 1], cells = [10, 10, 10], cell = "tetrahedron" }
[fields]
u = { element = "P1", shape = "vector" }
T = { element = "P1" }
[weak_form]
cells.all = "inner(grad(T), grad(test(T))) - 10*test(T) + inner(sym(grad(u)) - T*identity, sym(grad(test(u))))"
[dirichlet]
x0 = { u = [0, 0, 0], T = 0 }
[functionals]
T_end = { average = "T", facets = "x1" }
u_end = { average = "u[0]", facets = "x1" }
"""

CAVITY = """
physics = ["navier_stokes_incompressible"]
[mesh]
box = { cells = [5, 5, 5], cell = "tetrahedron" }
[parameters]
mu = 0.02
[dirichlet]
boundary = { u = ["where(z > 0.999, 1, 0)", 0, 0] }
[mean]
p = 0
[functionals]
u_middle = { point = [0.5, 0.5, 0.3], value = "u[0]" }
energy = { integral = "dot(u, u)" }
"""

SUPPORTED_BEAM = """
[mesh]
box = { size = [4, 1], cells = [16, 4], cell = "quadrilateral" }
[fields]
u = { element = "P2", shape = "vector" }
[weak_form]
cells.all = "inner(sym(grad(u)), sym(grad(test(u)))) - dot([0, -0.5], test(u))"
facets.x1 = "-dot([0.25, 0], test(u))"
[dirichlet]
x0 = { u = [0, 0] }
[functionals]
support = { reaction = "u", facets = "x0" }
free = { reaction = "u", facets = "x1" }
up = { reaction = "u[1]", facets = "x0" }
"""


class SeveralFields(CommandLineTest):
    def solver(self, text, *arguments):
        self.run_case(text, *arguments)
        return self.results()["solver"]

    def test_small_systems_are_solved_directly(self):
        solver = self.solver(STOKES)
        self.assertEqual(solver["method"], "direct")
        self.assertTrue(solver["library"].startswith("MUMPS"))
        self.assertLessEqual(solver["iterations"], 2)
        self.assertLess(self.results()["errors"]["u"]["H1"], 1e-10)
        self.assertLess(self.results()["errors"]["p"]["L2"], 1e-9)

    def test_without_the_module_eigen_solves(self):
        done = self.run_case(STOKES, env={"WEFT_MODULE_DIR": "nowhere"})
        self.assertIn("direct (Eigen's SparseLU)", done.stdout)
        self.assertLess(self.results()["errors"]["u"]["H1"], 1e-10)

    def test_iterations_do_not_grow_with_the_mesh(self):
        iterations = []
        for cells in (12, 48):
            solver = self.solver(
                STOKES, "--set", f"mesh.box.cells=[{cells}, {cells}]", "--set", "solver.preconditioner=blocks"
            )
            self.assertEqual(solver["preconditioner"], "blocks")
            self.assertEqual(solver["precision"], "f16")
            self.assertLess(self.results()["errors"]["u"]["H1"], 1e-6)
            iterations.append(solver["iterations"])
        self.assertLess(iterations[0], 70)
        self.assertLess(iterations[1], 1.3 * iterations[0])

    def test_viscosity_that_jumps(self):
        jump = replaced(STOKES, "mu = 2.5", 'mu = "where(x < 0.5, 1, 1e4)"')
        jump = replaced(jump, '[exact]\nu = ["4*y*(1 - y)", 0]\np = "8*mu*(0.5 - x)"\n', "")
        jump += '[functionals]\nspeed = { integral = "dot(u, u)" }\n'
        jump = replaced(jump, '"4*y*(1 - y)"', '"16*y*(1 - y)*x*(1 - x)"')
        speeds = []
        for arguments in ((), ("--set", "solver.preconditioner=blocks")):
            solver = self.solver(jump, *arguments)
            self.assertLess(solver["iterations"], 100)
            speeds.append(self.results()["functionals"]["speed"])
        self.assertAlmostEqual(speeds[0], speeds[1], delta=1e-6 * speeds[0])

    def test_a_flow_with_convection(self):
        """By blocks with the commutator: the values of the direct solver, in few iterations."""
        self.run_case(CAVITY)
        direct = self.results()
        self.assertEqual(direct["solver"]["method"], "direct")
        self.run_case(CAVITY, "--set", 'solver.preconditioner="blocks"')
        blocks = self.results()
        self.assertTrue(blocks["solver"]["converged"])
        self.assertEqual(len(direct["solver"]["newton"]), len(blocks["solver"]["newton"]))
        self.assertLess(blocks["solver"]["iterations"] / len(blocks["solver"]["newton"]), 50)
        for name, value in direct["functionals"].items():
            self.assertAlmostEqual(blocks["functionals"][name], value, delta=1e-7)

    def test_one_field_that_drives_another(self):
        solver = self.solver(HEAT_AND_STRESS, "--set", "mesh.box.cells=[16, 16, 16]")
        self.assertEqual((solver["method"], solver["preconditioner"]), ("gmres", "blocks"))
        self.assertLess(solver["iterations"], 40)
        values = self.results()["functionals"]
        self.solver(HEAT_AND_STRESS, "--set", "mesh.box.cells=[16, 16, 16]", "--set", "solver.preconditioner=jacobi")
        for name, value in self.results()["functionals"].items():
            self.assertAlmostEqual(values[name], value, delta=1e-6 * abs(value))

    def test_blocks_are_no_preconditioner_of_cg(self):
        uncoupled = replaced(HEAT_AND_STRESS, "sym(grad(u)) - T*identity", "sym(grad(u))")
        solver = self.solver(uncoupled, "--set", "solver.method=cg", "--set", "mesh.box.cells=[4, 4, 4]")
        self.assertEqual((solver["method"], solver["preconditioner"]), ("cg", "jacobi"))

    def test_blocks_by_hand(self):
        by_hand = STOKES + '[solver.blocks]\nu = "direct"\np = "mass"\n'
        self.assertLess(self.solver(by_hand)["iterations"], 50)
        for blocks, message in (
            ('u = "mass"', "a field that constrains the gradient of another one"),
            ('v = "jacobi"', "a block of a field that is not there"),
        ):
            done = self.run_case(STOKES + f"[solver.blocks]\n{blocks}\n", expect=WRONG_INPUT)
            self.assert_error(done, message, "[solver] blocks")

    def test_an_indefinite_form_gets_no_cg(self):
        helmholtz = """
[mesh]
box = { size = [1, 1], cells = [16, 16] }
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - 30*u*test(u) - (2*pi^2 - 30)*sin(pi*x)*sin(pi*y)*test(u)"
[dirichlet]
all = { u = 0 }
[exact]
u = "sin(pi*x)*sin(pi*y)"
"""
        self.assertEqual(self.solver(helmholtz)["method"], "direct")
        self.assertLess(self.results()["errors"]["u"]["L2"], 1e-4)

    def test_a_singular_matrix_is_told(self):
        # One cube of P2-P1: more pressures than velocities that are free.
        text = replaced(STOKES, "size = [1, 1], cells = [16, 16]", "size = [1, 1], cells = [1, 1]")
        text = replaced(text, '[exact]\nu = ["4*y*(1 - y)", 0]\np = "8*mu*(0.5 - x)"\n', "")
        done = self.run_case(text)
        self.assertIn("the matrix is singular", done.stderr)
        self.assertIn("that of p in the cell at", done.stderr)
        self.assertIn("one of many", self.results()["solver"]["remark"])

    def test_reactions_balance_loads(self):
        self.run_case(SUPPORTED_BEAM)
        values = self.results()["functionals"]
        for found, expected in zip(values["support"], (-0.25, 2.0), strict=True):
            self.assertAlmostEqual(found, expected, delta=1e-9)
        # No node of that side is held: nothing but loads, which balance.
        for found in values["free"]:
            self.assertAlmostEqual(found, 0, delta=1e-9)
        self.assertAlmostEqual(values["up"], 2.0, delta=1e-9)

    def test_reactions_that_are_none(self):
        for reaction, message in (
            ('{ reaction = "v", facets = "x0" }', "a reaction of what is no field"),
            ('{ reaction = "u" }', "reaction with facets"),
            ('{ reaction = "u", facets = "nowhere" }', "nowhere"),
            ('{ reaction = "u[2]", facets = "x0" }', "u[k] with k = 0 to 1"),
            ('{ reaction = "u[x]", facets = "x0" }', "u[k] with k = 0 to 1"),
        ):
            text = replaced(SUPPORTED_BEAM, 'support = { reaction = "u", facets = "x0" }', f"support = {reaction}")
            self.assert_error(self.run_case(text, expect=WRONG_INPUT), message)


if __name__ == "__main__":
    unittest.main()
