"""Runs of several processes: messages through MPI, results of any number of processes, errors on one of them."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
from math import isnan
from pathlib import Path

from law_problems import advection, euler
from test_c_text import C_CASE
from test_tune import machine_figures
from vtu_cells import cells_of
from weft_cli import (
    BUILD_DIR,
    CASE,
    DONE,
    NUMBERS_FAILED,
    PROGRAM,
    ROOT,
    SYSTEM_FAILED,
    WRONG_INPUT,
    CommandLineTest,
    replaced,
)

LONGEST_S = 240  # of a run, on a busy machine
ANSWER_S = 20  # in which an error on one process ends all, at most
HAS_MPI = shutil.which("mpirun") is not None and (BUILD_DIR / "libweft_mpi.so").exists()

# Laws of the cases, on coarse meshes and for short times: with steps by `cfl`, which no sum over all cells decides.
REDUCED = {
    "acoustic_pulse": ("time.end=0.05", "time.cfl=0.3", "mesh.box.cells=[6,4,4]"),
    "contaminant": ("time.end=0.1", "time.cfl=0.3", "mesh.size=0.4"),
    "dam_break": ("time.end=0.05", "time.cfl=0.3", "output.every=0.05"),
    "euler_fv": ("time.end=0.05", "time.cfl=0.3", "mesh.size=0.15"),
    "euler_vortex": ("time.end=1", "time.cfl=0.5", "mesh.box.cells=[8,8]"),
    "forward_step": ("time.end=0.1", "time.cfl=0.3", "output.every=0.1"),
    "maxwell_cavity": ("time.end=0.1", "time.cfl=0.3", "mesh.box.cells=[3,3,3]"),
    "maxwell_scatterer": ("time.end=0.05", "time.cfl=0.3"),
    "sod_tube": ("time.end=0.02", "time.cfl=0.3", "output.every=0.02"),
}
# Weak forms of the cases: scalars and vectors, facets, Newton, steps in time, known fields, coupled fields.
WEAK_FORMS = {
    "convection_diffusion": (),
    "heat_sink": ("mesh.size=6",),
    "heat_transient": ("time.end=12", "mesh.size=12"),
    "nafems_le1": (),
    "nonlinear_heat": (),
    "prism_layers": (),
    "cahn_hilliard": ("mesh.box.cells=[12,12]", "time.end=2e-5", "output.times=[1e-5]"),
}
# Iterations go with digits that only rounding decides where they are many; a few are compared exactly.
SAME_ITERATIONS = ("nonlinear_heat", "prism_layers")
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
# Bodies for multigrid.
LOADED_CUBE = """
[mesh]
box = { cells = [14, 13, 12], cell = "tetrahedron", distort = 0.1 }
[fields]
u = { element = "P1" }
[parameters]
k = "1 + x*y"
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u))) - test(u)"
[dirichlet]
x0 = { u = 0 }
[functionals]
mean = { average = "u" }
outflow = { reaction = "u", facets = "x0" }
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
# A wave of a gas on tetrahedra, with checkpoints.
WAVE = euler("tetrahedron", 2, 3) + """
[output]
every = 0.05
checkpoint_every = 0.05
probes = [[0.5, 0.5, 0.5]]
[functionals]
mass = { integral = "rho" }
E_most = { maximum = "E" }
"""


def last_field_file(folder):
    return re.findall('file="([^"]+)"', (folder / "fields.pvd").read_text())[-1]


def numbers_in(values):
    """All numbers of nested tables and lists."""
    if isinstance(values, (int, float)):
        yield values
    elif isinstance(values, (dict, list)):
        for value in values.values() if isinstance(values, dict) else values:
            yield from numbers_in(value)


def mpirun_command(*per_process):
    """mpirun of command lines, (number of processes, command) each."""
    # Processes that wait leave the cores to others: tests run beside one another.
    command = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    command += ["--allow-run-as-root"] if os.getuid() == 0 else []
    for i, (ranks, words) in enumerate(per_process):
        command += [":"] * (i > 0) + ["-n", str(ranks), *map(str, words)]
    return command


@unittest.skipUnless(shutil.which("mpirun"), "SKIPPED: mpirun is not installed")
class RanksTest(CommandLineTest):
    def mpirun(self, *per_process, expect=DONE, env=None):
        done = subprocess.run(mpirun_command(*per_process), cwd=self.folder, capture_output=True, text=True,
                              timeout=LONGEST_S, env={**os.environ, **(env or {})})  # fmt: skip
        if expect is not None:
            self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def weft_on(self, ranks, *arguments, **options):
        return self.mpirun((ranks, [PROGRAM, *arguments]), **options)

    def assert_one_message(self, done, *parts):
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assert_error(done, *parts)


class Launchers(RanksTest):
    def test_agree_through_mpi(self):
        program = BUILD_DIR / "tests" / "mpi_ranks"
        if not program.exists():
            self.skipTest("SKIPPED: the module of MPI was not built")
        for ranks in (2, 3, 5):
            done = self.mpirun((ranks, [program]), env={"WEFT_MODULE_DIR": str(BUILD_DIR)})
            self.assertEqual(done.stdout, f"{ranks} ranks agree\n")

    def test_one_that_nobody_hears_ends_all(self):
        program = BUILD_DIR / "tests" / "mpi_ranks"
        if not program.exists():
            self.skipTest("SKIPPED: the module of MPI was not built")
        start = time.monotonic()
        done = self.mpirun((3, [program, "lost"]), env={"WEFT_MODULE_DIR": str(BUILD_DIR)}, expect=SYSTEM_FAILED)
        self.assertLess(time.monotonic() - start, ANSWER_S)
        self.assert_one_message(done, "a device fails")

    def refused(self, code, *parts, case=CASE, **more):
        """On all processes with one message, and nothing is run."""
        case = self.write("case.toml", case)
        done = self.weft_on(3, "run", case, "--out", self.folder / "out", expect=code, **more)
        self.assert_one_message(done, *parts)
        self.assertFalse((self.folder / "out").exists())

    @unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
    def test_what_is_not_shared_is_refused_by_name(self):
        by_factors = replaced(CASE, "[solver]", '[solver]\npreconditioner = "ilu"')
        self.refused(WRONG_INPUT, 'preconditioner = "ilu" shared by several processes',
                     "3 processes of a launcher", "[solver] preconditioner",
                     "chebyshev, direct, hypre, jacobi, low_precision, multigrid, none",
                     "without the launcher", case=by_factors)  # fmt: skip
        kind = 'preconditioner = { kind = "multigrid", coarsening = "low_order" }'
        by_parts = replaced(CASE, "[solver]", f"[solver]\n{kind}")
        self.refused(WRONG_INPUT, 'coarsening = "low_order" shared by several processes', case=by_parts)
        self.refused(WRONG_INPUT, "the rate of a conservation law as a matrix shared by several processes",
                     "[solver] operator", case=advection("triangle", 1, 3) + '[solver]\noperator = "assembled"\n')
        done = self.weft_on(2, "check", "case.toml", expect=WRONG_INPUT)
        self.assert_one_message(done, "work shared by several processes", "weft run")

    def test_without_the_module_copies_of_a_run_do_not_start(self):
        self.refused(SYSTEM_FAILED, "a launcher started 3 processes", "libweft_mpi.so", "libopenmpi-dev",
                     env={"WEFT_MODULE_DIR": str(self.folder)})  # fmt: skip

    def test_a_launcher_of_one_is_none(self):
        self.weft_on(1, "run", self.write("case.toml", CASE), "--out", self.folder / "out")
        self.assertNotIn("ranks", self.results())

    def test_a_serial_program_has_no_mpi_in_it(self):
        done = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True)
        self.assertNotIn("libmpi", done.stdout)


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class States(RanksTest):
    def fields(self, folder):
        """The last fields of a run, by cell."""
        return cells_of(self.folder / folder / last_field_file(self.folder / folder))

    def assert_same_state(self, one, other):
        one, other = self.fields(one), self.fields(other)
        self.assertEqual(one.keys(), other.keys())
        self.assertEqual([place for place in one if one[place] != other[place]], [])

    def assert_close(self, one, other):
        """Functionals are sums over processes, so that the last digits may differ."""
        one, other = (self.results(folder)["functionals"] for folder in (one, other))
        self.assertEqual(one.keys(), other.keys())
        for name, value in one.items():
            for a, b in zip(*([v] if isinstance(v, float) else v for v in (value, other[name])), strict=True):
                self.assertAlmostEqual(a, b, delta=1e-11 * max(1, abs(a)), msg=name)

    def own_figures(self):
        """Tuning results of its own: what the machine can do is measured once for all tests."""
        return {"XDG_DATA_HOME": str(self.folder / "data")}

    def compare(self, case, overrides, numbers):
        options = ["-q"] + [word for override in overrides for word in ("--set", override)]
        self.weft("run", case, "--out", "serial", *options)
        for ranks in numbers:
            folder = f"on_{ranks}"
            self.weft_on(ranks, "run", case, "--out", folder, *options)
            self.assert_same_state("serial", folder)
            self.assert_close("serial", folder)
            results, serial = self.results(folder), self.results("serial")
            for key in ("mesh", "dofs"):
                self.assertEqual(results[key], serial[key])
            self.assertEqual(results["time"], serial["time"])
            self.assertEqual(results["ranks"]["count"], ranks)
            shutil.rmtree(self.folder / folder)

    def test_of_the_cases_are_those_of_one_process(self):
        for i, (name, overrides) in enumerate(REDUCED.items()):
            with self.subTest(case=name):
                self.compare(ROOT / "cases" / name / "case.toml", overrides, [2 + i % 3])

    def test_of_all_numbers_of_processes_are_equal(self):
        self.write("wave.toml", WAVE)
        self.compare("wave.toml", ["time.end=0.02"], [2, 3, 4])

    def test_steps_by_stability_are_those_of_one_process(self):
        self.write("wave.toml", replaced(WAVE, "cfl = 0.5", ""))
        self.compare("wave.toml", ["time.end=0.05"], [2, 3])

    def test_parts_may_be_empty(self):
        self.write("wave.toml", advection("triangle", 2, 3))
        self.compare("wave.toml", ["mesh.box.cells=[3,1]", "mesh.box.periodic=['x']", "time.end=0.02",
                                   'boundary.all.outer.q="q"'], [8])  # fmt: skip

    def test_of_meshes_that_processes_make_themselves(self):
        """Boxes in bricks, and cells refined after they are handed out."""
        short = ["time.end=0.004", "time.cfl=0.5"]
        self.write("wave.toml", advection("triangle", 0, 90))
        self.compare("wave.toml", short + ["mesh.refine=1"], [2])
        self.compare("wave.toml", short + ["mesh.box.cells=[47,46]", "mesh.refine=1", "mesh.order=2"], [3])

    def test_the_same_number_twice_has_the_same_bits(self):
        self.write("wave.toml", replaced(WAVE, "cfl = 0.5", 'scheme = "ssprk3"\nadaptive = { tolerance = 1e-4 }'))
        for folder in ("one", "two"):
            self.weft_on(3, "run", "wave.toml", "--out", folder, "--set", "time.end=0.05", "-q")
        for name in ("functionals.csv", "probes.csv", "fields_0001_r2.vtu"):
            one, two = ((self.folder / folder / name).read_bytes() for folder in ("one", "two"))
            self.assertEqual(one, two, name)

    def test_explain_says_what_messages_take(self):
        self.write("wave.toml", WAVE)
        self.weft("tuned", "import", self.write("figures.txt", machine_figures()), env=self.own_figures())
        # The figures are those of as many threads.
        options = ["--set", "time.end=0.02", "--json", "--threads", os.cpu_count()]
        done = self.weft_on(2, "explain", "wave.toml", *options, env=self.own_figures())
        halo = json.loads(done.stdout)["halo"]
        self.assertEqual(halo["ranks"], 2)
        self.assertEqual(halo["messages"], {"least": 1, "most": 1})
        self.assertGreater(halo["exchange_s"], 0)
        self.assertGreaterEqual(halo["hidden"], 0)
        self.assertEqual(halo["of"], "stage")
        # A weak form's messages are not hidden: its kernels begin when they are there.
        self.write("body.toml", LOADED_CUBE)
        for operator in ("matrix_free", "assembled"):
            with self.subTest(operator):
                choice = ["--set", f'solver.operator="{operator}"', "--json", "--threads", os.cpu_count()]
                done = self.weft_on(2, "explain", "body.toml", *choice, env=self.own_figures())
                halo = json.loads(done.stdout)["halo"]
                self.assertEqual(halo["of"], "product with the Jacobian")
                self.assertEqual(halo["messages"], {"least": 1, "most": 1})
                self.assertGreater(halo["whole_s"], 0)

    def test_a_report_shows_all_pieces(self):
        self.write("wave.toml", WAVE)
        self.weft_on(2, "run", "wave.toml", "--out", "out", "--set", "time.end=0.02", "--report", "-q")
        self.assertIn("162 cells", (self.folder / "out" / "report.html").read_text())

    def test_runs_go_on_with_any_number_of_processes(self):
        self.write("wave.toml", WAVE)
        self.weft("run", "wave.toml", "--out", "whole", "-q", "--set", "time.end=0.1")
        for first, second in ((1, 3), (3, 2), (4, 1)):
            folder = f"from_{first}_to_{second}"
            for ranks, more in (
                (first, ["--set", "time.end=0.05"]),
                (second, ["--set", "time.end=0.1", "--restart", f"{folder}/checkpoint.h5"]),
            ):
                self.weft_on(ranks, "run", "wave.toml", "--out", folder, "-q", *more)
            self.assert_same_state("whole", folder)
            self.assertEqual((self.folder / folder / "fields.pvd").read_text().count("<DataSet"), 3)


class WeakFormsTest(RanksTest):
    def assert_near(self, one, other, least=1e-6):
        """All functionals and errors, to what the tolerance of solvers leaves; smaller ones as if of `least`."""
        one, other = self.results(one), self.results(other)
        for key in ("functionals", "errors"):
            a, b = (list(numbers_in(results.get(key))) for results in (one, other))
            self.assertEqual(len(a), len(b), key)
            for x, y in zip(a, b, strict=True):
                self.assertAlmostEqual(x, y, delta=1e-8 * max(abs(x), least), msg=key)
        self.assertEqual(one["dofs"], other["dofs"])
        self.assertEqual(one["mesh"], other["mesh"])

    def assert_near_fields(self, one, other):
        """Values at the points of all cells."""
        one, other = (cells_of(self.folder / folder / last_field_file(self.folder / folder)) for folder in (one, other))
        self.assertEqual(one.keys(), other.keys())
        names = {name for name in next(iter(one.values())) if name != "region"}
        for name in names:
            a, b = ([x for place in one for x in memoryview(cells[place][name]).cast("d")] for cells in (one, other))
            self.assertEqual([isnan(x) for x in a], [isnan(x) for x in b], name)  # what has not happened yet
            size = max((abs(x) for x in a if not isnan(x)), default=0)
            apart = max((abs(x - y) for x, y in zip(a, b, strict=True) if not isnan(x)), default=0)
            self.assertLessEqual(apart, 1e-7 * size, name)


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class WeakForms(WeakFormsTest):
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

    def test_of_the_cases_are_solved_as_by_one_process(self):
        for i, (name, overrides) in enumerate(WEAK_FORMS.items()):
            with self.subTest(case=name):
                self.compare(ROOT / "cases" / name / "case.toml", overrides, 2 + i % 3)
                if name in SAME_ITERATIONS:
                    serial, shared = (self.results(folder)["solver"]["iterations"] for folder in ("serial", "shared"))
                    self.assertLessEqual(abs(serial - shared), 1)

    def test_all_operators_and_methods_agree(self):
        for more in ('solver.operator="assembled"', 'solver.method="gmres"', 'solver.method="bicgstab"',
                     'solver.preconditioner="chebyshev"'):  # fmt: skip
            with self.subTest(more):
                self.compare(ROOT / "cases" / "poisson_mms" / "case.toml", ["mesh.box.cells=[5,4,4]", more], 3)
        by_threads = ['device.strategy="transposed"', 'fields.u.element="P2"', "mesh.box.cells=[4,4,3]"]
        self.compare(self.write("body.toml", LOADED_CUBE), by_threads, 3)

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

    def test_direct_solvers_have_all_rows_on_the_first_process(self):
        """Saddle points; Newton's steps are those of one process."""
        for name, overrides in (
            ("incompressible_cylinder", ["mesh.size=0.4"]),
            ("cavity", ["mesh.size=0.12"]),
        ):
            with self.subTest(case=name):
                case = ROOT / "cases" / name / "case.toml"
                self.compare(case, overrides, 3, None)
                serial, shared = (self.results(folder)["solver"] for folder in ("serial", "shared"))
                self.assertEqual(shared["method"], "direct")
                self.assertEqual(len(serial.get("newton", [])), len(shared.get("newton", [])))

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

    def test_c_text_has_the_diagonal_of_one_process(self):
        case = self.write("case.toml", C_CASE)
        self.compare(case, ["mesh.box.cells=[9,7]"], 3)
        serial, shared = (self.results(folder)["solver"]["iterations"] for folder in ("serial", "shared"))
        self.assertLessEqual(abs(serial - shared), 1)

    def test_what_nothing_determines_is_made_zero(self):
        for text in (FLOATING, FREE_BODY):
            self.compare(self.write("free.toml", text), [], 3)

    def test_the_same_number_twice_has_the_same_bits(self):
        case = ROOT / "cases" / "nonlinear_heat" / "case.toml"
        for folder in ("one", "two"):
            self.weft_on(3, "run", case, "--out", folder, "-q")
        one, two = ((self.folder / folder / "fields_0000_r1.vtu").read_bytes() for folder in ("one", "two"))
        self.assertEqual(one, two)

    def test_runs_go_on_with_any_number_of_processes(self):
        case = ROOT / "cases" / "heat_transient" / "case.toml"
        steps = ["-q", "--set", "mesh.size=12", "--set", "output.checkpoint_every=8", "--set", "solver.tolerance=1e-12"]
        steps += ["--set", 'solver.preconditioner="jacobi"']
        self.weft("run", case, "--out", "whole", "--set", "time.end=16", *steps)
        for first, second in ((1, 3), (3, 2), (2, 1)):
            folder = f"from_{first}_to_{second}"
            self.weft_on(first, "run", case, "--out", folder, "--set", "time.end=8", *steps)
            self.weft_on(second, "run", case, "--out", folder, "--set", "time.end=16", *steps,
                         "--restart", f"{folder}/checkpoint.h5")  # fmt: skip
            self.assert_near("whole", folder)


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class ImplicitLaws(WeakFormsTest):
    def compare(self, case, ranks, *overrides):
        options = ["-q", "--set", "solver.tolerance=1e-12"]
        for override in overrides:
            options += ["--set", override]
        self.weft("run", case, "--out", "serial", *options)
        self.weft_on(ranks, "run", case, "--out", "shared", *options)
        self.assert_near("serial", "shared", 1e-3)
        self.assert_near_fields("serial", "shared")
        return (self.results(folder)["solver"]["iterations"] for folder in ("serial", "shared"))

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


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class Multigrid(WeakFormsTest):
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

    def test_takes_as_many_iterations_as_that_of_one_process(self):
        tight = "solver.tolerance=1e-11"
        for text, ranks, keys in (
            (LOADED_CUBE, 2, {}),
            (LOADED_CUBE, 8, {"gathered_size": 0, "precision": "f64"}),
            (BENT_BAR, 2, {"gathered_size": 0, "precision": "f64"}),
            (BENT_BAR, 4, {}),
        ):
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

    def test_of_systems_and_of_what_is_not_symmetric(self):
        for text, method in ((REACTION, "bicgstab"), (CONVECTION, "gmres")):
            with self.subTest(method):
                self.assert_as_many_iterations(*self.solve(3, text, f'solver.method="{method}"'))

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


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
@unittest.skipUnless(os.getuid() == 0 and shutil.which("tc"), "SKIPPED: networks are made by root, with ip and tc")
class Networks(RanksTest):
    """Two networks of one machine, joined by a slow link, as if they were two machines."""

    # Open MPI starts its daemon on a "machine" with: agent ADDRESS COMMAND...
    AGENT = """\
#!/bin/sh
place=weft_$(echo "$1" | tr . _)
shift
exec ip netns exec "$place" sh -c "$*"
"""

    def ip(self, *words, check=True):
        return subprocess.run(["ip", *words], capture_output=True, text=True, check=check)

    def test_a_run_over_two_networks(self):
        # Other tests may run beside this one.
        third = os.getpid() % 200 + 1
        addresses = [f"10.77.{third}.{host}" for host in (1, 2)]
        places = ["weft_" + address.replace(".", "_") for address in addresses]
        links = [f"weft{third}_{host}" for host in (1, 2)]
        for place in places:
            self.addCleanup(self.ip, "netns", "del", place, check=False)
            made = self.ip("netns", "add", place, check=False)
            if made.returncode != 0:
                self.skipTest(f"SKIPPED: no networks can be made here: {made.stderr.strip()}")
        self.ip("link", "add", links[0], "type", "veth", "peer", "name", links[1])
        for place, link, address in zip(places, links, addresses):
            self.ip("link", "set", link, "netns", place)
            self.ip("-n", place, "addr", "add", f"{address}/24", "dev", link)
            for up in ("lo", link):
                self.ip("-n", place, "link", "set", up, "up")
            limit = ["rate", "100mbit", "burst", "64kb", "latency", "50ms"]
            subprocess.run(["tc", "-n", place, "qdisc", "add", "dev", link, "root", "tbf", *limit], check=True)
        agent = self.write("agent.sh", self.AGENT)
        agent.chmod(0o755)
        self.write("wave.toml", WAVE)
        options = ["--set", "time.end=0.02", "-q"]
        self.weft("run", "wave.toml", "--out", "serial", *options)
        network = f"10.77.{third}.0/24"
        mca = {"plm_rsh_agent": agent, "btl": "self,tcp", "btl_tcp_if_include": network, "oob_tcp_if_include": network}
        command = ["ip", "netns", "exec", places[0], "mpirun", "--allow-run-as-root", "--bind-to", "none"]
        for name, value in mca.items():
            command += ["--mca", name, str(value)]
        command += ["--host", ",".join(f"{address}:1" for address in addresses), "-n", "2", PROGRAM, "run"]

        def run(*arguments):
            done = subprocess.run([*command, *arguments], cwd=self.folder, capture_output=True, text=True,
                                  timeout=LONGEST_S)  # fmt: skip
            self.assertEqual(done.returncode, DONE, done.stderr)

        run("wave.toml", "--out", "out", *options)
        one, other = (cells_of(self.folder / name) for name in ("serial/fields_0001.vtu", "out/fields_0001.pvtu"))
        self.assertEqual(one, other)
        self.assertEqual(self.results()["ranks"]["count"], 2)
        # The messages' way changes no bit of a weak form either.
        self.write("body.toml", LOADED_CUBE)
        multigrid = ["--set", 'solver.preconditioner={ kind = "multigrid", gathered_size = 150 }', "-q"]
        self.weft_on(2, "run", "body.toml", "--out", "memory", *multigrid)
        run("body.toml", "--out", "network", *multigrid)
        files = [(self.folder / name / "fields_0000_r1.vtu").read_bytes() for name in ("memory", "network")]
        self.assertEqual(*files)


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class Failures(RanksTest):
    """On one process: one message and its exit code, soon."""

    def setUp(self):
        super().setUp()
        self.write("wave.toml", WAVE)
        self.run = [PROGRAM, "run", "wave.toml", "--out", "out", "-q", "--set", "time.end=0.02"]
        self.start = time.monotonic()

    def tearDown(self):
        self.assertLess(time.monotonic() - self.start, ANSWER_S)
        super().tearDown()

    def test_of_the_case_are_told_once(self):
        for words, code, part in (
            (["none.toml"], WRONG_INPUT, "the case file does not exist"),
            (["wave.toml", "--set", "output.probes=[[7,0,0]]"], WRONG_INPUT, "a point outside the mesh"),
            (["wave.toml", "--device", "nothing"], SYSTEM_FAILED, "no such device"),
            (["wave.toml", "--nothing"], WRONG_INPUT, "--nothing"),
            (["wave.toml", "--tune"], WRONG_INPUT, "a search for the fastest kernels shared"),
        ):
            self.assert_one_message(self.weft_on(2, "run", *words, expect=code), part)

    def test_a_device_that_one_lacks(self):
        lacks = ["env", "OCL_ICD_VENDORS=/nonexistent", *self.run]
        done = self.mpirun((1, self.run), (1, lacks), (1, self.run), expect=SYSTEM_FAILED)
        self.assert_one_message(done, "no such device", "on rank 1")

    def test_a_place_where_one_cannot_write(self):
        # A folder lies where its piece goes.
        (self.folder / "out" / "fields_0000_r1.vtu" / "full").mkdir(parents=True)
        done = self.mpirun((3, self.run), expect=SYSTEM_FAILED)
        self.assert_one_message(done, "fields_0000_r1.vtu")

    def test_a_state_that_is_not_finite(self):
        done = self.mpirun((3, [*self.run, "--set", "time.cfl=60", "--set", "time.end=2"]), expect=NUMBERS_FAILED)
        self.assert_one_message(done, "the last good state is in out/fields.pvd")
        self.assertEqual(self.results()["outcome"]["status"], "not_converged")

    def started(self):
        """A long run, in its steps."""
        run = subprocess.Popen(mpirun_command((3, [*self.run, "--set", "time.end=1000"])), cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        self.addCleanup(run.kill)
        while run.poll() is None and not (self.folder / "out" / "checkpoint.h5").exists():
            time.sleep(0.01)
        self.assertIsNone(run.poll(), "it ended at once")
        return run

    def processes(self):
        """Those that run in the test's folder: mpirun and what it started."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if os.readlink(f"/proc/{pid}/cwd") == str(self.folder) and words[0] == os.fsencode(PROGRAM):
                    found.append(int(pid))
            except OSError:
                pass  # it has ended
        return found

    def test_a_process_that_is_killed_ends_the_run(self):
        run = self.started()
        os.kill(self.processes()[1], signal.SIGKILL)
        _, errors = run.communicate(timeout=ANSWER_S)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("signal 9", errors)
        self.assertEqual(self.processes(), [])

    def test_an_end_that_is_asked_for_is_one_of_all(self):
        for asked in (signal.SIGTERM, signal.SIGINT):
            run = self.started()
            run.send_signal(asked)
            run.communicate(timeout=ANSWER_S)
            self.assertNotEqual(run.returncode, 0)
            self.assertEqual(self.processes(), [])
            shutil.rmtree(self.folder / "out")

    def test_one_process_that_is_asked_to_end_ends_all_in_order(self):
        run = self.started()
        os.kill(self.processes()[2], signal.SIGTERM)
        _, errors = run.communicate(timeout=ANSWER_S)
        self.assertEqual(run.returncode, 128 + signal.SIGTERM, errors)
        self.assertEqual(errors.count("error:"), 1, errors)
        self.assertIn("interrupted", errors)
        self.assertIn("--restart", errors)
        self.assertEqual(json.loads((self.folder / "out" / "results.json").read_text())["outcome"]["status"],
                         "interrupted")  # fmt: skip


if __name__ == "__main__":
    unittest.main()
