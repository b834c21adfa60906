"""Systems of equations on several processes: weak forms and implicit steps of laws beside those of one process."""

import unittest

from law_problems import advection, euler
from ranks_cli import HAS_MPI, LOADED_CUBE, SystemsTest
from test_c_text import C_CASE
from weft_cli import BUILD_DIR, PROGRAM, ROOT, WRONG_INPUT, extended, replaced, with_others

# Weak forms of the cases: facets, Newton, steps in time, known fields, coupled fields.
WEAK_FORMS = {
    "heat_transient": ("time.end=12", "mesh.size=12"),
    "nonlinear_heat": (),
    "prism_layers": (),
    "cahn_hilliard": ("mesh.box.cells=[12,12]", "time.end=2e-5", "output.times=[1e-5]"),
}
# Scalars and vectors, which test_hypre_is_shared has, too.
OTHERS = {"convection_diffusion": (), "heat_sink": ("mesh.size=6",), "nafems_le1": ()}
# Iterations go with digits that only rounding decides where they are many; a few are compared exactly.
SAME_ITERATIONS = ("nonlinear_heat", "prism_layers")
TRIANGLES_AND_SQUARES = """
Point(1) = {0, 0, 0, 0.2}; Point(2) = {1, 0, 0, 0.2}; Point(3) = {2, 0, 0, 0.2};
Point(4) = {2, 1, 0, 0.2}; Point(5) = {1, 1, 0, 0.2}; Point(6) = {0, 1, 0, 0.2};
Line(1) = {1, 2}; Line(2) = {2, 5}; Line(3) = {5, 6}; Line(4) = {6, 1};
Line(5) = {2, 3}; Line(6) = {3, 4}; Line(7) = {4, 5};
Curve Loop(1) = {1, 2, 3, 4}; Curve Loop(2) = {5, 6, 7, -2};
Plane Surface(1) = {1}; Plane Surface(2) = {2};
Transfinite Surface {2}; Recombine Surface {2};
Physical Surface("left") = {1}; Physical Surface("right") = {2};
Physical Curve("wall") = {4}; Physical Curve("joint") = {2};
"""
# Two fields: one jumps between cells, and the other one does not.
BETWEEN_MIXED_CELLS = """
[mesh]
file = "mixed.geo"
[fields]
u = { element = "DG1" }
w = { element = "P2" }
[weak_form]
cells.all = "u*test(u) - x*test(u) + w*test(w) + 0.01*inner(grad(w), grad(test(w))) - u*test(w)"
interior.all = "0.1*jump(u)*jump(test(u)) + 0.3*(avg(w) - avg(u))*avg(test(w))"
[dirichlet]
wall = { w = 1 }
[functionals]
u = { average = "u*y" }
w = { average = "w*y" }
on_joint = { integral = "w", facets = "joint" }
length = { integral = "1", facets = "joint" }
"""
# Nothing determines the constant of u, and nothing holds the body.
FLOATING = """
[mesh]
box = { cells = [6, 5], cell = "triangle", distort = 0.1 }
[parameters]
f = "x - 0.5"
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - f*test(u)"
[functionals]
mean = { average = "u" }
square = { integral = "u^2" }
"""
FREE_BODY = """
[mesh]
box = { cells = [6, 5], cell = "quadrilateral", distort = 0.1 }
[fields]
u = { element = "P1", shape = "vector" }
[weak_form]
cells.all = "2*inner(sym(grad(u)), sym(grad(test(u)))) + div(u)*div(test(u))"
facets.x0 = "test(u)[0]"
facets.x1 = "-test(u)[0]"
[functionals]
stretch = { integral = "div(u)" }
square = { integral = "dot(u, u)" }
"""
# Far from where it began.
BENT_PLATE = """
physics = ["hyperelastic"]
[mesh]
box = { size = [2, 1], cells = [6, 3], cell = "quadrilateral" }
[parameters]
E = 10.0
nu = 0.3
[fields]
u = { element = "P1", shape = "vector" }
[weak_form]
facets.x1 = "-q*test(u)[1]"
[dirichlet]
x0 = { u = [0, 0] }
[load]
parameter = "q"
to = 0.4
step = 0.2
[functionals]
tip = { average = "u[1]", facets = "x1" }
"""


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class WeakForms(SystemsTest):
    def test_load_steps_are_those_of_one_process(self):
        self.write("bent.toml", BENT_PLATE)
        for more in ((), ("--set", "load.arc_length=true")):
            with self.subTest(more):
                self.weft("run", "bent.toml", "--out", "serial", "-q", *more)
                self.weft_on(3, "run", "bent.toml", "--out", "shared", "-q", *more)
                self.assert_near("serial", "shared")
                one, other = (self.results(folder)["time"]["steps"] for folder in ("serial", "shared"))
                self.assertEqual(one, other)

    def compare(self, case, overrides, ranks, preconditioner="jacobi"):
        options = ["-q"]
        named = [f'solver.preconditioner="{preconditioner}"'] if preconditioner else []
        for override in (*named, "solver.tolerance=1e-12", *overrides):
            options += ["--set", override]
        self.weft("run", case, "--out", "serial", *options)
        self.weft_on(ranks, "run", case, "--out", "shared", *options)
        self.assert_near("serial", "shared")
        self.assertEqual(self.results("shared")["ranks"]["count"], ranks)
        self.assert_near_fields("serial", "shared")

    @extended
    def test_of_the_cases_are_solved_as_by_one_process(self):
        for i, (name, overrides) in enumerate(with_others(WEAK_FORMS.items(), OTHERS.items())):
            with self.subTest(case=name):
                self.compare(ROOT / "cases" / name / "case.toml", overrides, 2 + i % 3)
                if name in SAME_ITERATIONS:
                    serial, shared = (self.results(folder)["solver"]["iterations"] for folder in ("serial", "shared"))
                    self.assertLessEqual(abs(serial - shared), 1)

    @extended
    def test_all_operators_and_methods_agree(self):
        for more in (['solver.operator="assembled"', 'solver.method="gmres"'],
                     ['solver.method="bicgstab"', 'solver.preconditioner="chebyshev"']):  # fmt: skip
            with self.subTest(more):
                self.compare(ROOT / "cases" / "poisson_mms" / "case.toml", ["mesh.box.cells=[5,4,4]", *more], 3)
        by_threads = ['device.strategy="transposed"', 'fields.u.element="P2"', "mesh.box.cells=[4,4,3]"]
        self.compare(self.write("body.toml", LOADED_CUBE), by_threads, 3)

    @extended
    @unittest.skipUnless((BUILD_DIR / "libweft_hypre.so").exists(), "SKIPPED: the module of hypre was not built")
    def test_hypre_is_shared(self):
        for name, ranks, overrides in (
            ("heat_sink", 2, ["mesh.size=6"]),
            ("nafems_le1", 3, []),
            ("convection_diffusion", 4, []),
        ):
            with self.subTest(case=name):
                self.compare(ROOT / "cases" / name / "case.toml", overrides, ranks, "hypre")
                serial, shared = (self.results(folder)["solver"]["iterations"] for folder in ("serial", "shared"))
                self.assertLessEqual(shared, 1.25 * serial)  # its smoother is weaker between processes

    @extended
    def test_orders_are_those_of_one_process(self):
        law = self.write("law.toml", replaced(advection("triangle", 3, 3), "cfl = 0.5", 'scheme = "bdf2"\nstep = 0.01'))
        steps = ["--set", "time.end=0.1", "--set", "verify.expect={}", "--set", "verify.expect_time={ q = 2 }"]
        combination = ["--cell", "tetrahedron", "--element", "P3", "--levels", "2"]
        for case, options in ((ROOT / "cases" / "poisson_mms" / "case.toml", combination), (law, steps)):
            with self.subTest(case=case):
                serial = self.weft("verify", case, *options)
                shared = self.weft_on(3, "verify", case, *options)
                self.assertIn("order", serial.stdout)
                self.assertEqual(serial.stdout, shared.stdout)

    @extended
    def test_direct_solvers_have_all_rows_on_the_first_process(self):
        """Saddle points; Newton's steps are those of one process."""
        cylinder = ("incompressible_cylinder", ["mesh.size=0.4"])
        for name, overrides in with_others([("cavity", ["mesh.size=0.12"])], [cylinder]):
            with self.subTest(case=name):
                case = ROOT / "cases" / name / "case.toml"
                self.compare(case, overrides, 3, None)
                serial, shared = (self.results(folder)["solver"] for folder in ("serial", "shared"))
                self.assertEqual(shared["method"], "direct")
                self.assertEqual(len(serial.get("newton", [])), len(shared.get("newton", [])))

    @extended
    def test_kernels_are_those_that_the_first_process_chooses(self):
        case = self.write("body.toml", LOADED_CUBE)
        options = ["-q", "--set", 'fields.u.element="P2"', "--set", "mesh.box.cells=[4,4,4]"]
        self.weft("run", case, "--out", "cells", "--set", 'device.strategy="cell"', *options)
        command = [PROGRAM, "run", case, *options]
        told = ["--variants", self.folder / "cells" / "results.json"]
        states = []
        for folder, first, second in (("both", told, told), ("first", told, []), ("none", [], [])):
            out = ["--out", folder]
            self.mpirun((1, [*command, *out, *first]), (1, [*command, *out, *second]))
            states.append((self.folder / folder / "fields_0000_r1.vtu").read_bytes())
        self.assertEqual(states[0], states[1])
        self.assertNotEqual(states[0], states[2])  # in the last digits: sums go another way

    @extended
    def test_terms_between_two_cells(self):
        """Discontinuous elements, on cells of several types too, and a continuous field that a jump of values holds."""
        penalty = ROOT / "cases" / "interior_penalty" / "case.toml"
        self.compare(penalty, ["mesh.box.cells=[7,6]"], 3)
        self.compare(
            penalty, ["mesh.box.cells=[6,5]", 'solver.operator="assembled"', 'fields.u.element="DG1"'], 2, None
        )
        self.compare(ROOT / "cases" / "contact_resistance" / "case.toml", [], 4, None)
        self.write("mixed.geo", TRIANGLES_AND_SQUARES)
        self.compare(self.write("mixed.toml", BETWEEN_MIXED_CELLS), [], 2)
        # A facet between the cells of two processes is one of them's.
        self.assertAlmostEqual(self.results("shared")["functionals"]["length"], 1, delta=1e-12)
        gradients = BETWEEN_MIXED_CELLS.replace('"DG1"', '"P1"').replace("jump(test(u))", "dot(jump(grad(test(u))), n)")
        self.write("mixed.toml", gradients)
        self.assert_one_message(
            self.weft_on(2, "run", "mixed.toml", expect=WRONG_INPUT), "gradients of continuous test"
        )

    def test_c_text_has_the_diagonal_of_one_process(self):
        case = self.write("case.toml", C_CASE)
        self.compare(case, ["mesh.box.cells=[9,7]"], 3)
        serial, shared = (self.results(folder)["solver"]["iterations"] for folder in ("serial", "shared"))
        self.assertLessEqual(abs(serial - shared), 1)

    @extended
    def test_what_nothing_determines_is_made_zero(self):
        for text in (FLOATING, FREE_BODY):
            self.compare(self.write("free.toml", text), [], 3)

    @extended
    def test_the_same_number_twice_has_the_same_bits(self):
        case = ROOT / "cases" / "nonlinear_heat" / "case.toml"
        for folder in ("one", "two"):
            self.weft_on(3, "run", case, "--out", folder, "-q")
        one, two = ((self.folder / folder / "fields_0000_r1.vtu").read_bytes() for folder in ("one", "two"))
        self.assertEqual(one, two)

    @extended
    def test_runs_go_on_with_any_number_of_processes(self):
        case = ROOT / "cases" / "heat_transient" / "case.toml"
        steps = ["-q", "--set", "mesh.size=12", "--set", "output.checkpoint_every=8", "--set", "solver.tolerance=1e-12"]
        steps += ["--set", 'solver.preconditioner="jacobi"']
        self.weft("run", case, "--out", "whole", "--set", "time.end=16", *steps)
        for first, second in with_others([(1, 3), (3, 2)], [(2, 1)]):
            folder = f"from_{first}_to_{second}"
            self.weft_on(first, "run", case, "--out", folder, "--set", "time.end=8", *steps)
            self.weft_on(second, "run", case, "--out", folder, "--set", "time.end=16", *steps,
                         "--restart", f"{folder}/checkpoint.h5")  # fmt: skip
            self.assert_near("whole", folder)


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class ImplicitLaws(SystemsTest):
    def compare(self, case, ranks, *overrides):
        options = ["-q", "--set", "solver.tolerance=1e-12"]
        for override in overrides:
            options += ["--set", override]
        self.weft("run", case, "--out", "serial", *options)
        self.weft_on(ranks, "run", case, "--out", "shared", *options)
        self.assert_near("serial", "shared", 1e-3)
        self.assert_near_fields("serial", "shared")
        return (self.results(folder)["solver"]["iterations"] for folder in ("serial", "shared"))

    @extended
    def test_of_finite_volumes_and_their_matrices(self):
        case = ROOT / "cases" / "contaminant" / "case.toml"
        steps = ['time.scheme="bdf2"', "time.step=0.05", "time.end=0.1", "mesh.size=0.4", "output.every=0.1"]
        preconditioners = ["jacobi", "multigrid"]
        if (BUILD_DIR / "libweft_hypre.so").exists():
            preconditioners.append("hypre")
        for ranks, preconditioner in enumerate(preconditioners, 2):
            with self.subTest(preconditioner):
                serial, shared = self.compare(case, ranks, f'solver.preconditioner="{preconditioner}"', *steps)
                self.assertLessEqual(shared, serial + (1 if preconditioner == "jacobi" else 6))

    @extended
    def test_of_high_orders_and_mixed_cells(self):
        for text in (advection("triangle", 3, 3), euler("quadrilateral", 2, 3)):
            case = self.write("law.toml", replaced(text, "cfl = 0.5", 'scheme = "bdf2"\nstep = 0.01'))
            with self.subTest(text):
                serial, shared = self.compare(case, 3, "time.end=0.02")
                self.assertLessEqual(abs(shared - serial), 1)

    def test_reactions_that_are_split_off(self):
        case = ROOT / "cases" / "heart_monodomain" / "case.toml"
        serial, shared = self.compare(case, 3, "time.end=0.5")
        self.assertLessEqual(abs(shared - serial), 1)

    def test_go_on_with_any_number_of_processes(self):
        text = replaced(advection("triangle", 2, 4), "cfl = 0.5", 'scheme = "bdf2"\nstep = 0.01')
        case = self.write("law.toml", text)
        steps = ["-q", "--set", "output.checkpoint_every=0.02", "--set", "solver.tolerance=1e-12"]
        self.weft("run", case, "--out", "whole", "--set", "time.end=0.04", *steps)
        self.weft_on(2, "run", case, "--out", "parts", "--set", "time.end=0.02", *steps)
        self.weft_on(3, "run", case, "--out", "parts", "--set", "time.end=0.04", *steps,
                     "--restart", "parts/checkpoint.h5")  # fmt: skip
        self.assert_near("whole", "parts")
