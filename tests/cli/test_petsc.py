"""Cases solved by PETSc's SNES, to which Weft gives function, Jacobian and preconditioner (weft/petsc.h)."""

import os
import re
import subprocess
import unittest

from weft_cli import CommandLineTest

PROGRAM = os.environ.get("WEFT_PETSC_PROGRAM", "")

# As SNES's example 12: Poisson's equation with values prescribed that are not 0.
POISSON = """
[mesh]
box = { size = [1, 1, 1], cells = [4, 4, 4], cell = "tetrahedron" }
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - test(u)"
[dirichlet]
all = { u = "1 + x" }
[functionals]
result = { average = "u" }
"""

# As SNES's examples 17 and 56: a cantilever.
ELASTICITY = """
physics = ["elasticity"]
[mesh]
box = { size = [4, 1, 1], cells = [12, 3, 3], cell = "hexahedron" }
[parameters]
E = 1.0
nu = 0.3
f = [0, 0, -0.001]
[dirichlet]
x0 = { u = [0, 0, 0] }
[functionals]
result = { average = "u[2]", facets = "x1" }
"""

P_LAPLACE = """
physics = ["p_laplace"]
[mesh]
box = { size = [1, 1], cells = [8, 8], cell = "triangle" }
[parameters]
p = 3.0
q = 1.0
[initial]
u = "x*(1 - x)*y*(1 - y)"
[dirichlet]
boundary = { u = 0 }
[functionals]
result = { average = "u" }
[solver]
newton.tolerance = 1e-12
"""

PROBLEMS = {"Poisson": POISSON, "elasticity": ELASTICITY, "p-Laplace": P_LAPLACE}


@unittest.skipUnless(PROGRAM, "SKIPPED: PETSc is not installed")
class Petsc(CommandLineTest):
    def snes(self, text, *options):
        """What the program prints."""
        self.write("case.toml", text)
        done = subprocess.run([PROGRAM, "case.toml", "-ksp_rtol", "1e-10", "-snes_rtol", "1e-10", *options],
                              cwd=self.folder, capture_output=True, text=True, timeout=300)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def result(self, output):
        return float(re.search(r"^result = (\S+)$", output, re.MULTILINE)[1])

    def iterations(self, output):
        return int(re.search(r"(\d+) iterations", output)[1])

    def expected(self, text):
        self.write("case.toml", text)
        self.weft("run", "case.toml", "--out", "out")
        return self.results()["functionals"]["result"]

    def test_jacobians_are_derivatives(self):
        for name, text in PROBLEMS.items():
            for assembled in (False, True):
                with self.subTest(problem=name, assembled=assembled):
                    options = ("-weft_assembled", "-pc_type", "gamg") if assembled else ()
                    output = self.snes(text, "-snes_test_jacobian", *options)
                    errors = re.findall(r"\|\|J - Jfd\|\|_F/\|\|J\|\|_F = ([\d.e+-]+)", output)
                    self.assertGreater(len(errors), int(assembled), output)  # of the products and of the entries
                    # By one-sided differences; grad(u) is small where the p-Laplacian degenerates.
                    for error in errors:
                        self.assertLess(float(error), 5e-6)

    def test_solutions_are_those_of_a_run(self):
        for name, text in PROBLEMS.items():
            expected = self.expected(text)
            for options in ((), ("-weft_assembled", "-pc_type", "gamg"), ("-weft_pc", "-ksp_type", "fgmres")):
                with self.subTest(problem=name, options=options):
                    output = self.snes(text, *options)
                    self.assertIn("CONVERGED", output)
                    self.assertAlmostEqual(self.result(output), expected, delta=1e-7 * abs(expected))

    def test_multigrid_has_what_it_needs(self):
        """Block size and near null space: without rigid motions GAMG takes several times as many iterations."""
        of_gamg = self.iterations(self.snes(ELASTICITY, "-weft_assembled", "-pc_type", "gamg", "-ksp_type", "cg"))
        self.assertLess(of_gamg, 45)  # 78 without the rigid motions
        multigrid = ELASTICITY + '[solver]\noperator = "assembled"\npreconditioner = "multigrid"\n'
        of_weft = self.iterations(self.snes(multigrid, "-weft_pc", "-ksp_type", "fcg"))
        self.assertLess(of_weft, 45)

    def test_errors_are_petscs_with_the_text(self):
        self.write("case.toml", POISSON.replace("grad(u)", "grad(v)"))
        done = subprocess.run([PROGRAM, "case.toml"], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("PETSC ERROR", done.stderr)
        self.assertIn("`v`", done.stderr)
        # Of a callback: the function is not finite at the state.
        self.write("case.toml", POISSON.replace("- test(u)", "- log(u - 100)*test(u)"))
        done = subprocess.run([PROGRAM, "case.toml"], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
