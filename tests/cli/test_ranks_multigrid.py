"""Weft's multigrid on several processes beside that of one."""

import json
import unittest

from ranks_cli import HAS_MPI, LOADED_CUBE, SystemsTest
from weft_cli import extended, with_others

# Large enough for more than Jacobi.
CUBE = """
[mesh]
box = { cells = [30, 28, 26], cell = "hexahedron" }
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - test(u)"
[dirichlet]
boundary = { u = 0 }
"""
BENT_BAR = """
physics = "elasticity"
[mesh]
box = { size = [4, 1, 1], cells = [16, 5, 5], cell = "tetrahedron", distort = 0.1 }
[parameters]
nu = 0.3
f = [0, 0, -1e-3]
[dirichlet]
x0 = { u = [0, 0, 0] }
[functionals]
bend = { integral = "u[2]" }
"""
REACTION = '''
[mesh]
box = { cells = [40, 40], cell = "triangle", distort = 0.1 }
[fields]
u = { element = "P1" }
v = { element = "P1" }
[weak_form]
cells.all = """
  inner(grad(u), grad(test(u))) + 0.5*inner(grad(v), grad(test(v)))
  + (u - v)*test(u) + (v - 2*u)*test(v) - test(u)"""
[dirichlet]
boundary = { u = 0, v = "x" }
[functionals]
sum = { integral = "u + v" }
'''
CONVECTION = """
[mesh]
box = { cells = [40, 40], cell = "quadrilateral", distort = 0.1 }
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) + dot([4, 1], grad(u))*test(u) - test(u)"
[dirichlet]
boundary = { u = 0 }
[functionals]
mean = { average = "u" }
"""


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class Multigrid(SystemsTest):
    """Weft's own: levels that processes share, and those that each has whole."""

    def solve(self, ranks, text, *overrides, **keys):
        """Serial and shared results, to the tolerance of the cases."""
        keys = {"kind": "multigrid", "gathered_size": 150, **keys}
        values = (f"{key} = {json.dumps(value)}" for key, value in keys.items())
        options = ["-q", "--set", f"solver.preconditioner={{{', '.join(values)}}}"]
        for override in overrides:
            options += ["--set", override]
        self.write("body.toml", text)
        self.weft("run", "body.toml", "--out", "serial", *options)
        self.weft_on(ranks, "run", "body.toml", "--out", "shared", *options)
        self.assert_near("serial", "shared")
        return self.results("serial")["solver"], self.results("shared")["solver"]

    def assert_as_many_iterations(self, serial, shared, more=2):
        self.assertLessEqual(shared["iterations"], serial["iterations"] + more)

    @extended
    def test_takes_as_many_iterations_as_that_of_one_process(self):
        tight = "solver.tolerance=1e-11"
        everywhere = {"gathered_size": 0, "precision": "f64"}
        usual = [(LOADED_CUBE, 8, everywhere), (BENT_BAR, 4, {})]
        for text, ranks, keys in with_others(usual, [(LOADED_CUBE, 2, {}), (BENT_BAR, 2, everywhere)]):
            with self.subTest(ranks=ranks, **keys):
                self.assert_as_many_iterations(*self.solve(ranks, text, tight, **keys))

    def test_says_what_its_levels_send(self):
        _, shared = self.solve(3, LOADED_CUBE)
        whole = ["halo" not in level for level in shared["levels"]]
        self.assertEqual(whole, sorted(whole))  # those that are shared come first
        self.assertFalse(whole[0])
        self.assertTrue(whole[-1])
        self.assertEqual(shared["levels"][0]["unknowns"], self.results("shared")["dofs"])
        for level in shared["levels"]:
            if "halo" in level:
                self.assertGreaterEqual(level["halo"]["bytes"], 4 * level["halo"]["messages"])

    @extended
    def test_of_orders(self):
        for cell, element in (("hexahedron", "P4"), ("tetrahedron", "P2")):
            text = LOADED_CUBE.replace("tetrahedron", cell).replace("P1", element).replace("14, 13, 12", "6, 5, 5")
            with self.subTest(element=element):
                serial, shared = self.solve(3, text, "solver.tolerance=1e-11", coarsening="nested")
                self.assertEqual(shared["operator"], "matrix_free")
                self.assert_as_many_iterations(serial, shared)

    def test_of_every_kind(self):
        for keys in ({"cycle": "K", "coarsest_size": 20}, {"smoother": "jacobi"}, {"precision": ["f32", "bf16"]}):
            with self.subTest(**keys):
                self.assert_as_many_iterations(*self.solve(3, LOADED_CUBE, **keys))
        # Incomplete factors of each process's own rows see nothing of the others.
        self.assert_as_many_iterations(*self.solve(3, LOADED_CUBE, smoother="ilu"), more=8)

    @extended
    def test_of_systems_and_of_what_is_not_symmetric(self):
        for text, method in ((REACTION, "bicgstab"), (CONVECTION, "gmres")):
            with self.subTest(method):
                self.assert_as_many_iterations(*self.solve(3, text, f'solver.method="{method}"'))

    @extended
    def test_solvers_in_low_precision(self):
        self.write("body.toml", LOADED_CUBE)
        for override in ('solver.method="defect_correction"', 'solver.preconditioner="low_precision"'):
            with self.subTest(override):
                self.weft("run", "body.toml", "--out", "serial", "-q", "--set", override)
                self.weft_on(3, "run", "body.toml", "--out", "shared", "-q", "--set", override)
                self.assert_near("serial", "shared")

    def test_is_chosen(self):
        self.write("cube.toml", CUBE)
        self.weft_on(2, "run", "cube.toml", "--out", "chosen", "-q")
        self.assertEqual(self.results("chosen")["solver"]["preconditioner"], "multigrid")

    def test_the_same_number_twice_has_the_same_bits(self):
        files = []
        for _ in range(2):
            self.solve(3, BENT_BAR)
            files.append((self.folder / "shared" / "fields_0000_r1.vtu").read_bytes())
        self.assertEqual(*files)
