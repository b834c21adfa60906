"""Methods and preconditioners of cases: those chosen where a case says nothing, multigrid, and solvers
in low precision."""

import unittest

from weft_cli import CASE, NUMBERS_FAILED, ROOT, WRONG_INPUT, CommandLineTest, extended, replaced

# 26 569 dofs.
LARGE = ["--set", "mesh.box.cells=[162, 162]"]

# A beam of 22 386 dofs, held at one end, under its weight.
BEAM = """\
title = "Beam"
physics = ["elasticity"]

[mesh]
box = { size = [4, 1, 1], cells = [40, 12, 13], cell = "tetrahedron" }

[parameters]
E = 210e9
nu = 0.3
f = [0, 0, -7.7e4]

[dirichlet]
x0 = { u = [0, 0, 0] }

[functionals]
work = { integral = "dot(f, u)" }
twice_energy = { integral = "inner(sigma, eps)" }
"""


# A plate whose conductivity and radiation depend on its temperature, with a known field beside it.
QUENCHED = """[mesh]
box = { size = [1, 1], cells = [10, 10], cell = "quadrilateral", distort = 0.2 }
order = 2
[fields]
T = { element = "P4" }
[auxiliary]
k0 = { element = "P2", value = "1 + x*y" }
[weak_form]
cells.all = "dt(T)*test(T) + k0*(1 + 0.5*T)*inner(grad(T), grad(test(T))) - test(T)"
facets.x1 = "0.3*(T + 1)^4*test(T)"
[dirichlet]
x0 = { T = "sin(t)" }
[time]
end = 0.1
step = 0.05
[solver]
tolerance = 1e-10
[functionals]
heat = { integral = "T" }
"""


# Wind that turns, far above what its mesh resolves: what iterates does not get there.
STRONG_WIND = """[mesh]
box = { size = [1, 1, 1], cells = [27, 27, 27], cell = "tetrahedron" }
[parameters]
D = 1e-4
a = ["0.8", "0.6*cos(pi*x)", "0.3"]
[fields]
c = { element = "P1" }
[weak_form]
cells.all = "D*inner(grad(c), grad(test(c))) + dot(a, grad(c))*test(c) - test(c)"
[dirichlet]
boundary = { c = 0 }
[solver]
tolerance = 1e-8
"""

# Electrons and a lattice that exchange heat.
TWO_TEMPERATURES = """[mesh]
box = { size = [1, 1, 1], cells = [14, 14, 14], cell = "tetrahedron" }
[parameters]
G = 1e5
[fields]
Te = { element = "P1" }
Tl = { element = "P1" }
[weak_form]
cells.all = """ + '"""' + """100*inner(grad(Te), grad(test(Te))) + G*(Te - Tl)*test(Te) - x*test(Te)
             + inner(grad(Tl), grad(test(Tl))) + G*(Tl - Te)*test(Tl)""" + '"""' + """
[dirichlet]
z0 = { Tl = 0, Te = 0 }
"""

BRATU = """[mesh]
box = { size = [1, 1], cells = [30, 30], cell = "triangle" }
[fields]
u = { element = "P1" }
[parameters]
lambda = 8
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - lambda*exp(u)*test(u)"
[dirichlet]
boundary = { u = 0 }
"""


P_LAPLACE = """\
physics = ["p_laplace"]
[mesh]
box = { size = [1, 1], cells = [30, 30], cell = "triangle" }
[parameters]
p = 6.0
q = 1.0
[dirichlet]
boundary = { u = 0 }
"""


class Chosen(CommandLineTest):
    @extended
    def test_a_direct_solver_has_the_same_bits_on_every_run(self):
        steps = ["--set", "time.end=5e-5", "--set", "output.times=[3e-5]", "--set", 'solver.method="direct"']
        states = []
        for folder in ("one", "two"):
            self.weft("run", ROOT / "cases" / "cahn_hilliard" / "case.toml", "--out", folder, "-q", *steps)
            states.append([file.read_bytes() for file in sorted((self.folder / folder).glob("fields_*.vtu"))])
        self.assertGreater(len(states[0]), 1)
        self.assertEqual(*states)

    @extended
    def test_a_direct_solver_where_iterations_fail(self):
        done = self.run_case(STRONG_WIND)
        self.assertIn("a direct solver took the place of one that did not converge in 500", done.stdout)
        solver = self.results()["solver"]
        self.assertEqual(solver["preconditioner"], "ilu")
        self.assertLessEqual(solver["residual"], 1e-8)
        self.assertLess(solver["iterations"], 510)
        # Not where a method is asked for by name.
        done = self.run_case(STRONG_WIND, "--set", 'solver.method="gmres"', "--set",
                             "solver.max_iterations=20", expect=NUMBERS_FAILED)
        self.assert_error(done, "not converged within the iterations allowed")

    def test_fields_that_depend_on_one_another_share_a_multigrid(self):
        done = self.run_case(TWO_TEMPERATURES)
        self.assertIn("cg with multigrid", done.stdout)
        self.assertLess(self.results()["solver"]["iterations"], 40)

    def test_an_equation_without_solution_does_not_converge(self):
        self.run_case(BRATU, "--set", "parameters.lambda=6")
        done = self.run_case(BRATU, expect=NUMBERS_FAILED)
        self.assert_error(done, "no solution near", "[initial]")
        solver = self.results()["solver"]
        self.assertFalse(solver["converged"])
        self.assertLess(max(solver["history"]), 1e8)  # though the energy falls without end

    def test_a_convex_energy_is_gone_down(self):
        """Newton's steps from a Jacobian that nearly vanishes are far too long, whatever |F| says."""
        self.run_case(P_LAPLACE)
        self.assertTrue(self.results()["solver"]["converged"])

    def test_a_field_without_a_term_is_refused(self):
        case = replaced(BRATU, 'u = { element = "P1" }', "u = {}\nv = {}")
        case = replaced(case, "lambda*exp(u)*test(u)", "u*test(v)")
        done = self.run_case(case, expect=WRONG_INPUT)
        self.assert_error(done, "depends on the field `v`", "case.toml")

    def test_small_problems_stay_matrix_free(self):
        done = self.run_case()
        self.assertIn("solver: cg with jacobi, matrix-free (chosen)", done.stdout)
        solver = self.results()["solver"]
        self.assertEqual((solver["operator"], solver["preconditioner"]), ("matrix_free", "jacobi"))
        self.assertEqual(solver["levels"], [])
        self.assertTrue(solver["chosen"])

    def test_heat_gets_multigrid(self):
        done = self.run_case(CASE, *LARGE)
        self.assertIn("solver: cg with multigrid in f16, assembled (chosen)", done.stdout)
        self.assertIn("operator complexity", done.stdout)
        results = self.results()
        solver = results["solver"]
        self.assertTrue(solver["converged"])
        self.assertLess(solver["iterations"], 30)
        self.assertLess(solver["residual"], 1e-10)
        levels = solver["levels"]
        self.assertGreater(len(levels), 2)
        self.assertEqual(levels[0]["unknowns"], 163 * 163)
        self.assertEqual(levels[0]["precision"], "f16")
        for finer, coarser in zip(levels, levels[1:]):
            self.assertLess(2 * coarser["unknowns"], finer["unknowns"])
            self.assertLess(coarser["bytes"], finer["bytes"])
        entries = sum(level["entries"] for level in levels)
        self.assertAlmostEqual(solver["operator_complexity"], entries / levels[0]["entries"], delta=1e-12)
        self.assertLess(solver["operator_complexity"], 2)
        self.assertEqual(solver["setups"], 1)
        self.assertGreater(solver["setup_s"], 0)
        # The mean of the solution of -lap(u) = 1 on the unit square, by its Fourier series:
        # 64/pi^6 times the sum over odd m, n of 1/(m^2 n^2 (m^2 + n^2)).
        self.assertAlmostEqual(results["functionals"]["mean"], 0.0351442, delta=1e-5)

    def test_elasticity_gets_multigrid_with_rigid_body_modes(self):
        done = self.run_case(BEAM)
        self.assertIn("solver: cg with multigrid in f16, assembled (chosen)", done.stdout)
        results = self.results()
        self.assertTrue(results["solver"]["converged"])
        self.assertLess(results["solver"]["iterations"], 50)
        # Six near null vectors an aggregate.
        self.assertEqual(results["solver"]["levels"][1]["unknowns"] % 6, 0)
        found = results["functionals"]
        self.assertAlmostEqual(found["work"], found["twice_energy"], delta=1e-9 * abs(found["work"]))

    @extended
    def test_orders_above_one_need_no_matrix(self):
        done = self.run_case(BEAM, "--set", 'fields.u.element="P2"', "--set", "mesh.box.cells=[20, 6, 6]")
        self.assertIn("solver: cg with multigrid in f16, matrix-free (chosen)", done.stdout)
        results = self.results()
        solver = results["solver"]
        self.assertLess(solver["iterations"], 50)
        self.assertEqual([level["unknowns"] for level in solver["levels"][:2]],
                         [3 * 41 * 13 * 13, 3 * 21 * 7 * 7])
        found = results["functionals"]
        self.assertAlmostEqual(found["work"], found["twice_energy"], delta=1e-9 * abs(found["work"]))
        # With a matrix the same comes out.
        self.run_case(BEAM, "--set", 'fields.u.element="P2"', "--set", "mesh.box.cells=[20, 6, 6]",
                      "--set", 'solver.operator="assembled"')
        self.assertEqual(self.results()["solver"]["operator"], "assembled")
        self.assertAlmostEqual(self.results()["functionals"]["work"], found["work"],
                               delta=1e-7 * abs(found["work"]))

    @extended
    def test_named_multigrid_goes_by_orders(self):
        """Unless what is said beside it needs levels of a matrix."""
        beam = [BEAM, "--set", 'fields.u.element="P2"', "--set", "mesh.box.cells=[12, 4, 4]"]
        work = {}
        for said, operator, chosen in [
            (['preconditioner="multigrid"'], "matrix-free", True),
            (['preconditioner={ kind = "multigrid", degree = 3 }'], "matrix-free", True),
            (['preconditioner="multigrid"', 'operator="matrix_free"', 'method="cg"'], "matrix-free", False),
            (['operator="matrix_free"'], "matrix-free", True),
            (['preconditioner={ kind = "multigrid", coarsening = "aggregation" }'], "assembled", True),
            (['preconditioner={ kind = "multigrid", smoother = "ilu" }'], "assembled", True),
            (['preconditioner="multigrid"', 'operator="assembled"'], "assembled", True),
        ]:  # fmt: skip
            with self.subTest(said=said):
                done = self.run_case(*beam, *[part for key in said for part in ("--set", f"solver.{key}")])
                self.assertIn(f"solver: cg with multigrid in f16, {operator}{' (chosen)' * chosen}\n",
                              done.stdout)  # fmt: skip
                results = self.results()
                self.assertTrue(results["solver"]["converged"])
                work[str(said)] = results["functionals"]["work"]
        first = next(iter(work.values()))
        for value in work.values():
            self.assertAlmostEqual(value, first, delta=1e-7 * abs(first))
        done = self.run_case(CASE, "--set", "solver.preconditioner=multigrid",
                             "--set", "solver.operator=matrix_free", expect=2)  # fmt: skip
        self.assert_error(done, "[solver] preconditioner", "needs the entries of the matrix",
                          "operator = \"assembled\"")  # fmt: skip

    @extended
    def test_low_order_on_divided_cells(self):
        """Elasticity, and a non-linear equation in time on curved cells."""
        beam = [BEAM, "--set", 'fields.u.element="P3"', "--set", "mesh.box.cells=[12, 4, 4]",
                "--set", 'mesh.box.cell="hexahedron"']  # fmt: skip
        for case, functional in [(beam, "work"), ([QUENCHED], "heat")]:
            values = []
            for coarsening in ("nested", "low_order"):
                preconditioner = f'{{ kind = "multigrid", coarsening = "{coarsening}" }}'
                done = self.run_case(*case, "--set", f"solver.preconditioner={preconditioner}")
                self.assertIn("multigrid in f16, matrix-free", done.stdout)
                results = self.results()
                self.assertTrue(results["solver"]["converged"])
                values.append(results["functionals"][functional])
            self.assertAlmostEqual(values[0], values[1], delta=1e-7 * abs(values[0]))

    @extended
    def test_a_matrix_where_orders_fail(self):
        """Nearly incompressible: elements of order 1 know no displacement that fits."""
        done = self.run_case(BEAM, "--set", 'fields.u.element="P2"', "--set", "mesh.box.cells=[20, 6, 6]",
                             "--set", "parameters.nu=0.4999")
        self.assertIn("multigrid by orders did not converge in 500 iterations: the matrix was assembled",
                      done.stdout)
        found = self.results()
        self.assertEqual(found["solver"]["operator"], "assembled")
        self.assertTrue(found["solver"]["converged"])

    def test_what_the_case_says_is_obeyed(self):
        done = self.run_case(CASE, *LARGE, "--set", "solver.preconditioner=jacobi")
        self.assertIn("solver: cg with jacobi, matrix-free (chosen)", done.stdout)
        done = self.run_case(CASE, *LARGE, "--set", "solver.operator=matrix_free")
        self.assertIn("solver: cg with jacobi, matrix-free (chosen)", done.stdout)
        done = self.run_case(
            CASE, "--set", "solver.operator=matrix_free", "--set", "solver.method=cg",
            "--set", "solver.preconditioner=jacobi",
        )  # fmt: skip
        self.assertIn("solver: cg with jacobi, matrix-free\n", done.stdout)


class Kinds(CommandLineTest):
    """Every way gives the same mean, to the tolerance, on 625 unknowns."""

    SMALL = ["--set", "mesh.box.cells=[24, 24]"]

    def mean(self, *settings):
        arguments = [part for setting in settings for part in ("--set", setting)]
        self.run_case(CASE, *self.SMALL, *arguments)
        results = self.results()
        self.assertTrue(results["solver"]["converged"])
        self.assertLess(results["solver"]["residual"], 1e-10)
        return results["functionals"]["mean"]

    def test_same_solution(self):
        expected = self.mean()
        for settings in (
            ['solver.preconditioner={ kind = "multigrid", precision = ["f32", "bf16"], cycle = "W", '
             'smoother = "jacobi", coarsest_size = 30 }'],
            ['solver.preconditioner={ kind = "multigrid", cycle = "K", coarsest_size = 20 }',
             'solver.method="gmres"'],
            ['solver.preconditioner={ kind = "low_precision", precision = "f16", method = "cg" }',
             'solver.operator="assembled"'],
            ['solver.preconditioner={ kind = "multigrid", smoother = "ilu", coarsest_size = 30 }'],
            ['solver.preconditioner={ kind = "multigrid", smoother = "spai", sweeps = 2, '
             'coarsest_size = 30 }'],
            ['solver.preconditioner={ kind = "ilu", level = 1 }'],
            ['solver.preconditioner="spai"'],
            ['solver.preconditioner="low_precision"'],
            ['solver.method="defect_correction"'],
            ['solver.method="defect_correction"',
             'solver.inner={ method = "chebyshev", precision = "f32", iterations = 10, damping = 0.9 }'],
            ['solver.method="defect_correction"', 'solver.operator="assembled"',
             'solver.inner={ method = "jacobi", precision = "bf16" }'],
            ['solver.method="defect_correction"', 'solver.preconditioner="multigrid"'],
        ):  # fmt: skip
            with self.subTest(settings=settings):
                self.assertAlmostEqual(self.mean(*settings), expected, delta=1e-9 * expected)

    @extended
    def test_large_and_small_numbers(self):
        expected = self.mean()
        multigrid = 'solver.preconditioner={ kind = "multigrid", coarsest_size = 30 }'
        for size in (1e-300, 1e300):
            for settings in ([], [multigrid], ['solver.method="defect_correction"']):
                with self.subTest(size=size, settings=settings):
                    mean = self.mean(f"parameters.f={size}", *settings)
                    self.assertAlmostEqual(mean / size, expected, delta=1e-9 * expected)

    def test_residual_in_f64_of_a_device_in_f32(self):
        self.run_case(CASE, *self.SMALL, "--set", 'device.precision="f32"', "--set",
                      "solver.tolerance=1e-5")  # fmt: skip
        f32 = self.results()["solver"]
        self.assertLess(f32["residual"], 1e-4)
        # What the recurrence and f32 say last is another number.
        self.assertNotEqual(f32["residual"], f32["history"][-1])

    def test_stagnation_says_what_to_change(self):
        done = self.run_case(CASE, *self.SMALL, "--set", 'device.precision="f32"',
                             expect=NUMBERS_FAILED)  # fmt: skip
        self.assert_error(done, "stagnates", 'set [device] precision = "f64"')


class Mistakes(CommandLineTest):
    def refused(self, settings, *parts):
        arguments = [part for setting in settings for part in ("--set", setting)]
        self.assert_error(self.run_case(CASE, *arguments, expect=WRONG_INPUT), *parts)

    def test_are_named(self):
        self.refused(['solver.inner={ method = "cg" }'], "inner belongs to defect correction",
                     'kind = "low_precision"')  # fmt: skip
        self.refused(['solver.method="defect_correction"', 'solver.preconditioner="jacobi"',
                      'solver.inner={ method = "cg" }'], "two inner solvers")  # fmt: skip
        self.refused(['solver.operator="matrix_free"', 'solver.preconditioner="multigrid"'],
                     "needs the entries of the matrix", 'operator = "assembled"')  # fmt: skip
        self.refused(['solver.preconditioner={ kind = "low_precision", precision = ["f32", "f16"] }'],
                     "has one precision")  # fmt: skip
        self.refused(['solver.preconditioner={ kind = "low_precision", precision = "f16" }',
                      'solver.operator="matrix_free"'], "is not computed in f16",
                     'operator = "assembled"')  # fmt: skip
        self.refused(['solver.preconditioner={ kind = "multigrid", coarsening = "low_order" }'],
                     "cells divided at their nodes", "fields of one order, 2 to 8",
                     'coarsening = "nested"')  # fmt: skip
        self.refused(['solver.preconditioner={ kind = "multigrid", coarsening = "low_order", smoother = "ilu" }'],
                     "ilu with coarsening = \"low_order\"", "chebyshev, jacobi")  # fmt: skip
        self.refused(['solver.preconditioner={ kind = "hypre", coarsening = "nested" }'],
                     "preconditioner.coarsening", "hmis")  # fmt: skip


if __name__ == "__main__":
    unittest.main()
