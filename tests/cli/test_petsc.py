"""Cases solved by PETSc's SNES, to which Weft gives function, Jacobian and preconditioner: in C++ (weft/petsc.h) and
in Python (weft.petsc)."""

import os
import re
import subprocess
import unittest

from weft_cli import BUILD_DIR, ROOT, CommandLineTest, extended

PROGRAM = os.environ.get("WEFT_PETSC_PROGRAM", "")
PYTHON = os.environ.get("WEFT_PETSC_PYTHON", "")

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


class InPetsc:
    """What holds in either language."""

    COMMAND = []  # of the program for any case
    ENVIRONMENT = {}

    def environment(self):
        return {**os.environ, "OPENBLAS_NUM_THREADS": "1", **self.ENVIRONMENT}  # see docs/guide/petsc.md

    def program(self, text, *options):
        self.write("case.toml", text)
        return subprocess.run([*self.COMMAND, "case.toml", *options], cwd=self.folder, capture_output=True, text=True,
                              env=self.environment(), timeout=300)  # fmt: skip

    def snes(self, text, *options):
        """What the program prints."""
        done = self.program(text, "-ksp_rtol", "1e-10", "-snes_rtol", "1e-10", *options)
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

    @extended
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

    def test_a_function_that_is_not_finite_fails(self):
        done = self.program(POISSON.replace("- test(u)", "- log(u - 100)*test(u)"))
        self.assertNotEqual(done.returncode, 0)


@unittest.skipUnless(PROGRAM, "SKIPPED: PETSc is not installed")
class Petsc(InPetsc, CommandLineTest):
    COMMAND = [PROGRAM]

    def test_errors_are_petscs_with_the_text(self):
        done = self.program(POISSON.replace("grad(u)", "grad(v)"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("PETSC ERROR", done.stderr)
        self.assertIn("`v`", done.stderr)


@unittest.skipUnless(PYTHON, "SKIPPED: petsc4py is not installed")
class Petsc4py(InPetsc, CommandLineTest):
    COMMAND = [PYTHON, "-B", str(ROOT / "python/examples/petsc_snes.py")]
    ENVIRONMENT = {"PYTHONPATH": str(BUILD_DIR / "weft_python")}

    def script(self, *lines):
        """What a program prints."""
        self.write("case.toml", ELASTICITY)
        text = "\n".join(("import numpy as np", "import weft", *lines))
        done = subprocess.run([PYTHON, "-B", "-c", text], cwd=self.folder, capture_output=True, text=True,
                              env=self.environment(), timeout=300)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def test_only_the_adaptor_needs_petsc(self):
        found = self.script("import sys", "print('petsc4py' in sys.modules)", "import weft.petsc",
                            "print('petsc4py' in sys.modules)")  # fmt: skip
        self.assertEqual(found, ["False", "True"])

    def test_a_jacobian_stays_that_of_its_state(self):
        """Whatever the problem linearises meanwhile; and products are those of the entries."""
        found = self.script("from weft.petsc import Adaptor",
                            "adaptor = Adaptor(weft.Problem('case.toml'))",
                            "J, A = adaptor.create_jacobian(), adaptor.create_jacobian(assembled=True)",
                            "x, y, z = (adaptor.create_vector() for _ in range(3))",
                            "x.setArray(np.sin(np.arange(adaptor.problem.num_dofs)))",
                            "J.mult(x, y)",
                            "A.mult(x, z)",
                            "print(A.getBlockSize(), len(A.getNearNullSpace().getVecs()))",
                            "print((y - z).norm() < 1e-12*y.norm())",
                            "p = adaptor.problem",
                            "p.parameters['E'] = 2",
                            "p.linearise(p.state + 1)",
                            "J.mult(x, z)",
                            "free = np.setdiff1d(np.arange(p.num_dofs), p.constrained_dofs())",
                            "print(abs(z.array_r - 2*y.array_r)[free].max() < 1e-12*y.norm())")  # fmt: skip
        self.assertEqual(found, ["3 6", "True", "True"])

    def test_errors_come_out_of_petsc(self):
        done = self.program(POISSON.replace("grad(u)", "grad(v)"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("weft.errors.InputError", done.stderr)
        self.assertIn("`v`", done.stderr)
        found = self.script("from petsc4py import PETSc",
                            "from weft.petsc import Adaptor",
                            "adaptor = Adaptor(weft.Problem('case.toml'))",
                            "J = adaptor.create_jacobian()",
                            "wrong = PETSc.Vec().createSeq(3)",
                            "try:",
                            "    adaptor.set_state(wrong)",
                            "except weft.InputError as error:",
                            "    print(error.what)",
                            "snes = PETSc.SNES().create(comm=PETSc.COMM_SELF)",
                            "adaptor.attach(snes)",
                            "def refused(u, out=None):",
                            "    raise weft.NumericalError('it diverged')",
                            "adaptor.problem.residual = refused",
                            "try:",
                            "    snes.solve(None, adaptor.create_vector())",
                            "except weft.NumericalError as error:",
                            "    print(error)")  # fmt: skip
        self.assertEqual(found, ["an array of the wrong size: state", "it diverged"])


if __name__ == "__main__":
    unittest.main()
